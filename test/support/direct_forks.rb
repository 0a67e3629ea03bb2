# frozen_string_literal: true

require "coppice"
require "coppice/os/fork_lock"
require "coppice/os/sibling_fork"
require_relative "bounded_wait"

# Whether the kernel, the C library and the sandbox that the tests run in let a fork make a sibling.
module DirectForks
  class << self
    #: () -> bool
    def possible?
      @possible = probe if @possible.nil?
      @possible
    end

    private

    # The child of a child, so that nothing is left here.
    def probe
      status = BoundedWait.status_of(fork { exit!(sibling_made?) })
      status.success?
    end

    def sibling_made?
      maker = fork { exit!(make_one) }
      made = BoundedWait.status_of(maker).success?
      BoundedWait.status_of(-1) if made
      made
    end

    def make_one
      forking = Coppice::OS::SiblingFork.new(lock: Coppice::OS::ForkLock.new, timeout: 60, patience: 60, direct: true)
      forking.call(announce: ->(_) {}) { exit!(0) } && Coppice::OS::SiblingFork.made_sibling?
    end
  end
end
