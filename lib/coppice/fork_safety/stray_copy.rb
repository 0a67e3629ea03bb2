# frozen_string_literal: true

require "coppice/os/sibling_fork"

module Coppice
  module ForkSafety
    # A process that the user's code forked without a block, and that then comes back out of that code: a second
    # copy of a worker or a mold, which would answer the same client and obey the same channel. It is ended where
    # it comes out. Runs in any process of the family; costs no system call.
    module StrayCopy
      # Prepended to Process: the one place that every fork of Ruby's passes.
      module Watch
        #: () -> Integer
        def _fork
          super.tap do |pid|
            next unless pid.zero?

            StrayCopy.forked
            OS::SiblingFork.born
          end
        end
      end

      @here = false

      class << self
        # In each process made by a fork.
        #: () -> void
        def forked = @here = true

        # In a process that has a place in the family of its own.
        #: () -> void
        def adopt = @here = false

        # Runs the user's code. In a copy that was forked within, does not return.
        #: [T] () { () -> T } -> T
        def end_after
          yield
        ensure
          leave if @here
        end

        # The same for a block that is called later.
        #: (Proc) -> Proc
        def end_after_each(block) = ->(*arguments) { end_after { block.call(*arguments) } }

        private

        # No at_exit handler and no `ensure` of ours: what they would clean up belongs to the original.
        def leave
          meant = $!.is_a?(SystemExit)
          warn "coppice: a copy of process #{Process.ppid} ends here: code that forks must call exit in the copy" unless meant
          $stdout.flush
          exit!(meant ? $!.status : 1)
        end
      end
    end
  end
end

Process.singleton_class.prepend(Coppice::ForkSafety::StrayCopy::Watch)
