# frozen_string_literal: true

require "coppice/control/verbs"
require "coppice/guest/supervision/errand"
require "coppice/monitor/door/control_connection"

module Coppice
  class Guest
    class Supervision
      # What the verb `run` does: asks for a guest, passes on the signals that its client names, and tells the client
      # how the guest has exited. The client's disconnection is the guest's end.
      class Session
        SIGNALS = %w[INT TERM QUIT HUP USR1 USR2 WINCH STOP CONT].freeze
        STOP_SIGNALS = %i[INT TERM QUIT HUP].freeze

        #: (Monitor::Operations, Monitor::ControlConnection::Caller) -> void
        def initialize(operations, caller)
          @operations = operations
          @errand = Errand.new(caller.peer, named(caller.descriptors))
        end

        # Raises Error when there can be no guest.
        #: () -> Monitor::ControlConnection::Pending
        def begin
          @operations.start(@errand)
          Monitor::ControlConnection::Pending.new(lines: ["guest requested"], poll: method(:outcome),
                                                  input: method(:obey), left: @errand.method(:leave))
        end

        private

        def named(ios)
          names = Control::VERBS.fetch("run").descriptors
          return names.zip(ios).to_h if ios.size == names.size

          raise UsageError, "run needs #{names.size} descriptors: use the command `coppice run`"
        end

        # A line of the client's: "signal INT".
        def obey(line)
          word, name = line.split
          @operations.signal(@errand.handle, name.to_sym) if word == "signal" && SIGNALS.include?(name)
        end

        # nil while the guest lives.
        def outcome
          report = @errand.handle.exit_report or return give_up_if_told_twice
          status = report.status or raise Error, "the mold could not fork the guest: the server's log says why"
          raise Error, "the guest was not ready in time: the server's log says why" if late?(report)

          ending = report.signal ? "killed #{report.signal}" : "exited #{status.exitstatus}"
          [*("not begun" unless report.begun?), ending]
        end

        # It can be a while until the mold forks the guest. A user who sends a second signal waits no longer: the guest
        # gets them, and is told to exit, once it is there.
        def give_up_if_told_twice
          kept = @errand.handle.kept_signals.select { |name| STOP_SIGNALS.include?(name) }
          return if kept.size < 2

          @errand.leave
          ["not begun", "killed #{kept.last}"]
        end

        def late?(report) = report.cause == :spawn_timeout && !report.begun?
      end
    end
  end
end
