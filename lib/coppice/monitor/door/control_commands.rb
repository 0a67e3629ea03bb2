# frozen_string_literal: true

require "coppice/control/status_page"
require "coppice/control/verbs"
require "coppice/log"
require "coppice/monitor/door/awaited_refork"
require "coppice/monitor/door/control_connection"
require "coppice/monitor/rolls/roll_progress"
require "coppice/stats"

module Coppice
  class Monitor
    # What the monitor does for each verb of Control::VERBS: a method of the same name, with underscores. It returns
    # lines, or a ControlConnection::Pending when the last ones come later, and raises Error when it refuses.
    class ControlCommands
      Pending = ControlConnection::Pending

      #: (supervision: Supervision, board: Board, reopening: LogReopening, settings: Config::Settings) -> void
      def initialize(supervision:, board:, reopening:, settings:)
        @supervision = supervision
        @operations = supervision.operations
        @roster = supervision.roster
        @board = board
        @stats = Stats.new(board)
        @reopening = reopening
        @settings = settings
      end

      # Raises Error for what is no verb, or has words that the verb does not take. First the monitor learns what its
      # children have reported: the client may have seen that on the board since the turn looked at their channels.
      #: (?String?, *String, caller: ControlConnection::Caller) -> (Array[String] | ControlConnection::Pending)
      def call(name = nil, *words, caller:)
        verb = Control::VERBS[name]
        raise UsageError, "say one of: #{Control::VERBS.keys.join(', ')}" unless verb

        @supervision.learn_all
        raise Error, "the server is stopping" if verb.changes && @roster.stopping && name != "stop"

        values = verb.read(words)
        return @operations.session(verb.role, caller) if verb.role
        return public_send(name, *values, asked_by: described(caller)) if verb.asked_by

        public_send(name.tr("-", "_"), *values)
      end

      def status = Control::StatusPage.new(@stats.to_h).lines #: () -> Array[String]

      # Waits for the commit, until the new mold is abandoned, or until no worker can fork one; and then for the end of
      # the rollout, if the user wants to.
      #: (?String?) -> ControlConnection::Pending
      def refork(wait = nil)
        awaited = AwaitedRefork.new(@roster, rollout: !wait.nil?)
        @operations.refork
        Pending.new(lines: ["refork requested"], news: awaited.method(:news), seconds: limit("refork"),
                    poll: awaited.method(:outcome), late: awaited.method(:late))
      end

      # Waits until the release is committed, or given up.
      #: (*String, asked_by: String) -> ControlConnection::Pending
      def roll(*words, asked_by:)
        force = words.delete("--force")
        roll = @supervision.rolls.roll(*words, asked_by: asked_by, force: !force.nil?)
        await_decision(roll, "rolling to #{roll.directory}")
      end

      # Waits until the release before is committed again; giving up a roll takes no time.
      #: (asked_by: String) -> (Array[String] | ControlConnection::Pending)
      def rollback(asked_by:)
        roll = @supervision.rolls.rollback(asked_by: asked_by)
        return ["the roll to #{roll.directory} is given up; #{@roster.release} serves on"] unless roll.rollback?

        await_decision(roll, "rolling back to #{roll.directory}")
      end

      #: (Integer | String) -> Array[String]
      def workers(target)
        before = @roster.wanted
        target.is_a?(Integer) ? @operations.resize_to(target) : @operations.follow_configuration
        ["#{@roster.wanted} workers wanted, #{before} until now"]
      end

      # Waits until another worker serves in its slot.
      #: (Integer) -> ControlConnection::Pending
      def recycle(nr)
        worker = @roster.ready_workers.find { |handle| handle.nr == nr } or raise Error, "there is no worker #{nr}"
        @operations.recycle(worker)
        Pending.new(lines: ["replacing worker #{nr} (pid #{worker.pid})"], seconds: limit("recycle"),
                    poll: -> { outcome_of_recycling(worker) },
                    late: -> { raise Error, "worker #{nr} is not replaced yet; it is as soon as a fork is possible" })
      end

      # Waits until all processes have exited. The monitor itself ends right after the last line.
      #: (?String?) -> ControlConnection::Pending
      def stop(now = nil)
        now ? @operations.stop(:at_once) : @operations.stop_gracefully
        Pending.new(lines: [now ? "stopping at once" : "stopping gracefully"],
                    poll: -> { ["the server has exited"] if @supervision.finished? })
      end

      #: (String) -> Array[String]
      def log_level(level)
        raise Error, "the configuration has a logger of its own, and the logger a level" if @settings.logger

        @board.log_level = Log.number(level.to_sym)
        @operations.log_level = level.to_sym
        ["lines of level #{level} and above are logged"]
      end

      # Waits until the monitor has done so; its children follow between two requests.
      def reopen_logs #: () -> ControlConnection::Pending
        outcome = @reopening.begin(-> { @roster.handles })
        Pending.new(lines: [], seconds: limit("reopen-logs"), poll: -> { outcome.lines },
                    late: -> { raise Error, "the log's disk is slow" })
      end

      # Waits until the process has written them.
      #: (Integer | String) -> ControlConnection::Pending
      def backtrace(target)
        request = @operations.show_threads(find(target))
        Pending.new(lines: [], seconds: request.seconds, reader: request.reader, poll: -> { request.lines },
                    late: -> { request.lines_of_kernel })
      end

      private

      # Before the client gives up.
      def limit(name) = Control::VERBS.fetch(name).seconds - 1

      def await_decision(roll, line)
        progress = RollProgress.new(roll, roster: @roster, board: @board)
        Pending.new(lines: [line], news: -> { progress.lines }, poll: -> { outcome_of_roll(roll) })
      end

      def outcome_of_roll(roll)
        raise Error, "the server is stopping" if @roster.stopping && !roll.decided?
        return unless roll.decided?
        raise Error, given_up(roll) if roll.outcome == :given_up

        canary = "canary: #{roll.canary.reason}" if roll.canary
        [*canary, *@roster.release.not_in_force, "#{@roster.release} is committed#{rollout}"]
      end

      def given_up(roll)
        why = (roll.message || roll.reason).to_s.sub(/[.:]\z/, "")
        "#{roll.kind} given up: #{why}#{'.' unless why.end_with?('?')} #{@roster.release} serves on"
      end

      # A release that warms up only begins with it now.
      def rollout
        return " and warms up; then its workers replace the others" if @roster.rehearsing?

        "; its workers replace the others now"
      end

      # The observer asks on behalf of the dashboard's users.
      def described(caller)
        peer = caller.peer
        peer.pid == @roster.observer&.pid ? "dashboard" : "uid #{peer.uid} (pid #{peer.pid})"
      end

      def outcome_of_recycling(worker)
        raise Error, "the server is stopping" if @roster.stopping
        return unless worker.gone?

        successor = @roster.ready_workers.find { |handle| handle.nr == worker.nr } or return
        ["worker #{worker.nr} is process #{successor.pid} now"]
      end

      def find(target)
        found = case target
                when "mold" then @roster.mold || @roster.candidate
                when Integer then @roster.workers.find { |handle| handle.nr == target }
                else service(target)
                end
        name = target.is_a?(Integer) ? "worker #{target}" : target
        found&.pid ? found : raise(Error, "there is no #{name}")
      end

      # "service" is the service worker, or the only service.
      def service(name)
        return @roster.service(name) unless name == "service"

        @roster.service || (@roster.services.first if @roster.services.one?)
      end
    end
  end
end
