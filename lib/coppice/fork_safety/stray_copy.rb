# frozen_string_literal: true

require "coppice/os/sibling_fork"

module Coppice
  module ForkSafety
    # Ends stray copies: a process that the user's code forked without a block, and that returns from that code, is a
    # second copy of a worker or a mold, which would answer the same client and obey the same channel. It exits where it
    # returns. Costs no system call.
    module StrayCopy
      # Prepended to Process: every fork in Ruby calls this method.
      module Watch
        #: () -> Integer
        def _fork
          super.tap do |pid|
            next unless pid.zero?

            StrayCopy.forked
            OS::SiblingFork.forked
          end
        end
      end

      @copy = false

      class << self
        # In each process made by a fork.
        #: () -> void
        def forked = @copy = true

        # In a process that the server forked itself.
        #: () -> void
        def adopt = @copy = false

        # Runs the user's code. Does not return in a copy that was forked by it.
        #: [T] () { () -> T } -> T
        def end_after
          yield
        ensure
          exit_copy if @copy
        end

        # The same for a block that is called later.
        #: (Proc) -> Proc
        def end_after_each(block) = ->(*arguments) { end_after { block.call(*arguments) } }

        private

        # Runs no at_exit handler and no `ensure`: what they would clean up belongs to the original process.
        def exit_copy
          meant = $!.is_a?(SystemExit)
          unless meant
            warn "coppice: a copy of process #{Process.ppid} ends here: code that forks must call exit in the copy"
          end
          $stdout.flush
          exit!(meant ? $!.status : 1)
        end
      end
    end
  end
end

Process.singleton_class.prepend(Coppice::ForkSafety::StrayCopy::Watch)
