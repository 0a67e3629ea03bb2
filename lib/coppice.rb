# frozen_string_literal: true

require "coppice/errors"
require "coppice/version"
require "coppice/coppice_ext"
require "coppice/os/clock"
require "coppice/os/fork_lock"
require "coppice/info"

# The public front door: what an application calls. See also Coppice::Info.
module Coppice
  autoload :MemInfo, "coppice/mem_info" # not loaded where nobody asks, as in the monitor

  @fork_lock = OS::ForkLock.new

  class << self
    attr_reader :fork_lock #: OS::ForkLock -- taken by the server around each fork

    # No process is forked from this one while the block runs: for background
    # threads around calls that take native locks (getaddrinfo, say), which a child
    # forked at that instant would find locked for ever.
    #: [T] () { () -> T } -> T
    def prevent_fork(&block) = fork_lock.synchronize(&block)
  end
end
