# frozen_string_literal: true

require "coppice/board"
require "coppice/monitor/molds/canary"
require "coppice/monitor/records/moments"
require "coppice/monitor/records/promotions"
require "coppice/monitor/records/rolls"

module Coppice
  class Monitor
    # Writes to the board what the monitor knows of the server as a whole: exits, promotions, what refork_after :auto
    # weighs, the last hour, and that the monitor is alive. It decides nothing; Facts, Actions and Supervision tell it.
    class Records
      attr_reader :promotions #: Promotions
      attr_reader :rolls      #: Rolls

      #: (system: System, board: Board, roster: Roster, port: ServingPort) -> void
      def initialize(system:, board:, roster:, port:)
        @system = system
        @board = board
        @roster = roster
        @port = port
        @first_moment = 0
        @promotions = Promotions.new(system: system, board: board, roster: roster)
        @rolls = Rolls.new(system: system, board: board, roster: roster)
        @moments = Moments.new(system: system, board: board, roster: roster, port: port)
      end

      # When the next moment of the last hour is due (monotonic seconds).
      #: () -> Float
      def due_at = @moments.due_at

      # The monitor's loop has turned. ledger: what the refork condition last weighed, if it weighs anything.
      #: (Float, ^(Float) -> Hash[Symbol, Integer]?) -> void
      def turned(now, ledger)
        @board.beat_ms = (now * 1000).to_i
        @board.state = Board::SERVER_STATES.index(state)
        @board.rollback_ms = @roster.kept&.ready? ? (@roster.kept_until * 1000).to_i : 0
        @promotions.observe(now)
        return if now < due_at

        @moments.note(now)
        @system.look_at_oom_kills(now)
        note_ledger(ledger.call(now))
      end

      # A child is gone, and its row is about to be folded.
      #: (Handle, ExitReport) -> void
      def exited(handle, report)
        complete(handle.row, report)
        cause = Board::EXIT_CAUSES.index(report.cause.to_s) || Board::EXIT_CAUSES.index("other")
        role = Roles.number(report.role)
        @board.server.count(:exits, place: ((role - 1) * Board::EXIT_CAUSES_ROOM) + cause)
        sequence = @board.exits_count + 1
        @board.exit_record(sequence).fill(sequence, exit_values(report, role, cause))
        @board.exits_count = sequence
      end

      # No lobby has a connection now.
      #: () -> void
      def lobby_lost
        [*Board::LOBBY_GAUGES, *Board::LOBBY_AMOUNTS].each { |gauge| @board.lobby.public_send(:"#{gauge.name}=", 0) }
      end

      # A roll was committed or given up.
      #: (Roll) -> void
      def roll_decided(roll)
        @rolls.decided(roll)
        return unless roll.outcome == :committed

        @first_moment = @board.moments_count
        @roster.note_first_requests(roll.canary && @tried)
      end

      # What the trial of a candidate has counted so far.
      #: (Canary::Counts) -> void
      def tried(counts)
        @tried = Canary::FirstRequests.new(counts, warmed: @roster.trial.warms_up?)
        @rolls.tried(counts) unless @roster.of_release?(@roster.candidate)
      end

      # What the committed release has counted, in the last hour at most.
      #: () -> Canary::Counts
      def recent_counts
        last = @board.moments_count
        first = [@first_moment, last - Board::MOMENTS_KEPT + 1, 1].max
        return Canary::Counts::NONE if first >= last

        Canary::Counts.of(@board.moment_record(last)) - Canary::Counts.of(@board.moment_record(first))
      end

      private

      def state
        return "stopping" if @roster.stopping

        @port.open? ? "serving" : "booting"
      end

      # What the process could not count itself. Out-of-band work is no request.
      def complete(row, report)
        return if row.out_of_band?

        row.count(:timeouts) if report.cause == :request_timeout && row.timed_out.zero?
        return unless report.request_age && row.ready?

        Histogram.add(row.cells, row.place_of(:application_us).first, (report.request_age * 1_000_000).to_i)
      end

      def exit_values(report, role, cause)
        status = report.status
        { time_ms: @system.unix_ms, role: role, nr: report.nr || -1, service_name: report.service.to_s,
          generation: report.generation, pid: report.pid || 0, cause: cause, status: status&.exitstatus || -1,
          signal: status&.termsig || 0, requests: report.requests, age_ms: milliseconds(report.age),
          request: report.request.to_s, request_age_ms: milliseconds(report.request_age),
          peak_kib: report.peak_memory&./(1024) || -1 }
      end

      def milliseconds(seconds) = seconds ? (seconds * 1000).to_i : -1

      def note_ledger(values)
        return unless values

        ledger = @board.ledger
        values.each { |name, value| ledger.public_send(:"#{name}=", value) }
        ledger.count(:judgements)
      end
    end
  end
end
