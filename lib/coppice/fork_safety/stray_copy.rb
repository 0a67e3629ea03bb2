# frozen_string_literal: true

require "coppice/os/sibling_fork"

module Coppice
  module ForkSafety
    # Ends stray copies. If the user's code calls fork without a block and the child returns from that code, the child
    # is a second copy of a worker or mold: it would answer the same client and read the same channel. So it is made to
    # exit when it returns. This costs no system call.
    module StrayCopy
      # Prepended to Process: every fork in Ruby calls this method.
      module Watch
        #: () -> Integer
        def _fork
          OS::SiblingFork.fork_begins
          super.tap do |pid|
            next unless pid.zero?

            StrayCopy.forked
            OS::SiblingFork.forked
          end
        end
      end

      @copy = false

      class << self
        # Called in each new process after any fork.
        #: () -> void
        def forked = @copy = true

        # Called in a process that the server itself has forked, or in which a server is started: it is no stray copy.
        #: () -> void
        def adopt = @copy = false

        # Yields to the user's code. In a copy that this code has forked, it exits instead of returning.
        #: [T] () { () -> T } -> T
        def end_after
          yield
        ensure
          exit_copy if @copy
        end

        # A wrapper of a block that does the same whenever the block is called.
        #: (Proc) -> Proc
        def end_after_each(block) = ->(*arguments) { end_after { block.call(*arguments) } }

        private

        # Exits without at_exit handlers and `ensure`, because what they clean up belongs to the original process.
        def exit_copy
          status = $!.status if $!.is_a?(SystemExit)
          unless status
            warn "coppice: a copy of process #{Process.ppid} ends here: code that forks must call exit in the copy"
          end
          $stdout.flush
        ensure # a standard stream may be gone
          exit!(status || 1)
        end
      end
    end
  end
end

Process.singleton_class.prepend(Coppice::ForkSafety::StrayCopy::Watch)
