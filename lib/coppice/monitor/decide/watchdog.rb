# frozen_string_literal: true

require "coppice/board/columns"
require "coppice/monitor/decide/heartbeat"
require "coppice/monitor/steps"
require "coppice/os/throttle"

module Coppice
  class Monitor
    # Decides which children are overdue: in a request, while they start, or while they exit. A child that is still
    # there a second after it got the signal that the user chose gets KILL. A lobby's loop that stands still is killed
    # alone: its keeper makes another, which takes over the connections. So is a keeper. A worker whose answers make no
    # sense is killed at once: only damaged memory writes such answers, and the lobby reads no more of them. So is one
    # whose seat the lobby could not receive: it takes requests, and nobody reads its answers.
    class Watchdog
      LOOK_PAUSE = 0.1 # seconds
      GRACE = 1.0 # seconds between the signal that the user chose and KILL

      #: (Config::Settings, Board, System) -> void
      def initialize(settings, board, system)
        @board = board
        @system = system
        @cleanup_ms = settings.timeout_cleanup * 1000
        @spawn_timeout = settings.spawn_timeout
        @heartbeat = Heartbeat.new(Board::HEARTBEAT_SECONDS + settings.client_header_timeout + settings.timeout +
                                   settings.timeout_cleanup)
        @loop_heartbeat = Heartbeat.new(Board::LOOP_LIMIT_SECONDS)
        @looks = OS::Throttle.new(LOOK_PAUSE)
      end

      # Looks at those that may be overdue, but not more often than LOOK_PAUSE says.
      #: (Roster, Float) -> Array[Step]
      def next(roster, now)
        return [] if (@passed_over = !@looks.claim(now))

        @heartbeat.observe(roster.ready_workers, now)
        kills = overdue(roster, now).map { |handle, reason| Steps::Kill.new(process_to_kill(handle), reason) }
        kills + hanging_parts(roster, now)
      end

      # When to look again (monotonic seconds): at the first deadline that the last look has found, and soon if the last
      # turn had no look.
      #: () -> Float
      def due_at = @passed_over ? @looks.next_at : @first_deadline

      private

      # Pairs of a child and the reason to kill it.
      def overdue(roster, now)
        @first_deadline = Float::INFINITY
        suspects(roster, now).filter_map do |handle|
          deadline, request_deadline = deadline(handle, now), request_deadline(handle)
          note_deadline(deadline, now)
          note_deadline(request_deadline, now)
          reason = reason_to_kill(handle, now, deadline, request_deadline) unless handle.orphaned?
          [handle, reason] if reason
        end
      end

      # There may be a thousand workers that are idle, or have time left for their request.
      def suspects(roster, now)
        children = roster.children
        [*children[:not_ready].to_a, *children[:faulty].to_a, *past_deadline(children, now), *silent].uniq
      end

      def silent = @heartbeat.missing.select(&:ready?)

      # A deadline that was postponed may not have passed.
      def past_deadline(children, now)
        rows, next_ms = @board.due(:deadline_ms, ((now * 1000) - @cleanup_ms).ceil)
        note_deadline(with_cleanup(next_ms), now) unless next_ms.zero?
        children.of_rows(rows)
      end

      def note_deadline(time, now)
        @first_deadline = time if time && time > now && time < @first_deadline
      end

      # The monitor sees by itself whether the loop runs; the loop sees it of the keeper.
      def hanging_parts(roster, now)
        keepers = roster.children[:lobbies].to_a.select(&:keeper_hangs)
        keepers.map { |lobby| Steps::KillLobbyPart.new(lobby, :keeper) } + hanging_loops(roster, now)
      end

      def hanging_loops(roster, now)
        running = roster.children[:lobbies].to_a.select { |lobby| lobby.pid && (lobby.ready? || lobby.leaving?) }
        @loop_heartbeat.observe(running, now)
        hanging = running & @loop_heartbeat.missing
        hanging.each { |lobby| @loop_heartbeat.forget(lobby) } # until its death is noticed
        hanging.map { |lobby| Steps::KillLobbyPart.new(lobby, :loop) }
      end

      def reason_to_kill(handle, now, deadline, request_deadline)
        return (:survived_signal if now >= handle.deadline) if handle.kill_reason
        return handle.seat.fault if handle.pid && handle.seat&.fault
        return overdue_reason(handle) if request_deadline && now >= request_deadline
        return :unresponsive if @heartbeat.missing.include?(handle) && handle.ready?
        return unless deadline && now >= deadline

        return :stop_timeout if handle.leaving?

        handle.starting? ? :spawn_timeout : :unresponsive # a ready one has a deadline only once its channel has ended
      end

      # If no request is in flight, the deadline is that of the process's exit hook.
      def overdue_reason(handle) = handle.row.started_ms.zero? ? :stop_timeout : :request_timeout

      # A request that was given more time keeps it, even if its worker must then exit or fork a mold.
      def deadline(handle, now)
        return unless handle.deadline
        return handle.deadline + time_back(handle, now) if handle.starting? && handle.pid

        in_hand = request_deadline(handle) if handle.leaving?
        in_hand = request_deadline(handle.parent)&.+(@spawn_timeout) if handle.requested? && handle.parent
        [handle.deadline, in_hand].compact.max
      end

      # Seconds for which a late start waited for a processor. They do not count: where requests keep all processors
      # busy, who kills what is slow to start only has it start again. What hangs waits for no processor.
      def time_back(handle, now) = now < handle.deadline ? 0 : @system.processor_wait(handle.pid)

      # When the monitor kills a process because of its request or its exit hook. The worker exits by itself at its own
      # deadline, which is `cleanup` earlier.
      def request_deadline(handle)
        deadline_ms = handle.pid ? handle.request_deadline_ms : 0
        with_cleanup(deadline_ms) unless deadline_ms.zero?
      end

      def with_cleanup(deadline_ms) = (deadline_ms + @cleanup_ms) / 1000.0

      # If a child was requested but not forked, the process that was to fork it hangs.
      def process_to_kill(handle) = handle.requested? && handle.parent ? handle.parent : handle
    end
  end
end
