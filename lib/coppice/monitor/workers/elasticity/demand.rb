# frozen_string_literal: true

require "coppice/board"

module Coppice
  class Monitor
    class Elasticity
      # What clients and workers have wanted in the last seconds: requests that wait, answers, and processors.
      class Demand
        SECONDS = 2.0 # for which looks are kept
        WATCHED = 32 # workers at most: to ask the kernel takes some 20 µs for each
        GAP = 0.8 # seconds between two looks: what was before it says nothing of now
        CELLS = Board::COUNT_COLUMNS.first.cells # responses, which are the first count

        # Sums that never go back: responses; seconds in which a worker had a request; seconds for which one was
        # watched, and those of them in which it ran or waited for a processor.
        Look = Struct.new(:at, :responses, :busy_seconds, :watched_seconds, :wanted_seconds)

        attr_reader :waiting #: Integer -- requests that no worker has taken
        attr_reader :busy    #: Integer -- workers with a request
        attr_reader :blocked #: Integer -- those of them whose application says that the request will wait
        attr_reader :responses #: Integer -- of all workers that there ever were

        #: (System, Board, ServingPort) -> void
        def initialize(system, board, port)
          @system = system
          @board = board
          @port = port
          @looks = []
          @wanted_by_pid = {}
          @answered = false
          @waiting = @busy = @blocked = @responses = 0
        end

        #: (Roster, Float) -> void
        def look(roster, now)
          @waiting = requests_waiting
          look_at_busy(roster, now)
          before, @responses = responses, @board.total_counts(CELLS).sum
          @answered = responses > before
          wanted = wanted_by_watched(roster)
          @looks.clear if @looks.any? && now - @looks.last.at > GAP
          @looks << following(@looks.last || Look.new(now, responses, 0.0, 0.0, 0.0), now, wanted)
          @looks.shift while @looks.size > 2 && @looks[1].at <= now - SECONDS
        end

        # At this moment.
        #: () -> Integer
        def requests_waiting = @board.lobby.waiting + @port.requests_waiting.to_i

        # Whether any request was there since the look before.
        #: () -> bool
        def traffic? = (waiting + busy).positive? || @answered

        # Whether there are two looks to compare: of one alone nothing is known.
        #: () -> bool
        def known? = @looks.size > 1

        # Responses per second of a worker that always has a request.
        #: () -> Float
        def rate = ratio(:responses, :busy_seconds)

        # The share of its time for which a worker runs, or waits for a processor.
        #: () -> Float
        def computing = ratio(:wanted_seconds, :watched_seconds)

        private

        def look_at_busy(roster, now)
          workers = roster.children.busy_workers(@board, (now * 1000).to_i)
          @busy = workers.size
          @blocked = workers.count { |worker| worker.row.waits? }
        end

        # What each worker has wanted since the look before; those that are new are watched from now on.
        def wanted_by_watched(roster)
          before = @wanted_by_pid
          pids = roster.serving_workers.first(WATCHED).map(&:pid)
          @wanted_by_pid = pids.to_h { |pid| [pid, @system.processor_demand(pid)] }
          @wanted_by_pid.filter_map { |pid, wanted| [wanted - before[pid], 0].max if wanted && before[pid] }
        end

        def following(last, now, wanted)
          seconds = now - last.at
          Look.new(now, responses, last.busy_seconds + (busy * seconds),
                   last.watched_seconds + (wanted.size * seconds), last.wanted_seconds + wanted.sum)
        end

        def ratio(counted, seconds)
          first, last = @looks.values_at(0, -1)
          time = last[seconds] - first[seconds]
          time.positive? ? (last[counted] - first[counted]) / time : 0.0
        end
      end
    end
  end
end
