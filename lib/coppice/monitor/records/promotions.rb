# frozen_string_literal: true

require "coppice/board"
require "coppice/os/throttle"
require "coppice/stats/histogram"

module Coppice
  class Monitor
    class Records
      # Notes each promotion and cold boot, and how long each of its phases took. One is under way at a time; the
      # rollout of the last one goes on after its commit.
      class Promotions
        # One promotion: its mold, its record, when it began, and when it was committed.
        Run = Struct.new(:candidate, :record, :began_at, :committed_at)

        UNKNOWN = { fork_us: -1, prepare_us: -1, trial_us: -1, rollout_us: -1, workers: -1, private_after_kib: -1,
                    first_request_us: 0, median_us: 0 }.freeze

        MEASURE_PAUSE = 10.0 # seconds between two looks at the requests of a generation

        #: (system: System, board: Board, roster: Roster) -> void
        def initialize(system:, board:, roster:)
          @measures = OS::Throttle.new(MEASURE_PAUSE)
          @system = system
          @board = board
          @roster = roster
        end

        # A new mold was asked for. template: the worker that is to fork it; nil for a cold boot.
        #: (Handle, Symbol, Handle?, Float) -> void
        def started(candidate, reason, template, now)
          measure # its workers are about to be replaced
          sequence = @board.promotions_count + 1
          record = @board.promotion_record(sequence)
          record.fill(sequence, { time_ms: @system.unix_ms, generation: candidate.generation,
                                  reason: Board::REFORK_REASONS.index(reason.to_s), outcome: 0,
                                  template_nr: template&.nr || -1, private_before_kib: private_kib, **UNKNOWN })
          @board.promotions_count = sequence
          @running = Run.new(candidate, record, now)
        end

        #: (Handle, Float) -> void
        def committed(candidate, now)
          run = running(candidate) or return
          note_start(run)
          run.record.trial_us = micro(now - candidate.ready_at) if candidate.ready_at
          run.committed_at = now
          end_run(run, "committed")
          @rolling_out = @last = run
        end

        #: (Handle) -> void
        def abandoned(candidate)
          run = running(candidate) and end_run(run, "abandoned")
        end

        # The new mold was never forked: its record is that of the next one.
        #: (Handle) -> void
        def withdrawn(candidate)
          return unless running(candidate)

          @board.promotions_count -= 1
          @running = nil
        end

        # What has become of it since the last look.
        #: (Float) -> void
        def observe(now)
          note_start(@running) if @running
          end_rollout(@rolling_out, now) if @rolling_out && rolled_out?(@rolling_out)
          measure if @last && @measures.claim(now)
        end

        private

        # The requests of the workers that were forked from the last mold.
        def measure
          workers = @last ? workers_of(@last).map(&:row) : []
          return if workers.empty?

          firsts = workers.map(&:first_us).select(&:positive?)
          @last.record.first_request_us = firsts.sort[firsts.size / 2] unless firsts.empty?
          places = workers.map { |row| row.place_of(:application_us).first }
          requests = Stats::Histogram.new(@board.cells.sum(places, Histogram::CELLS))
          @last.record.median_us = micro(requests.percentile(0.5)) if requests.count.positive?
        end

        def running(candidate) = (@running if @running&.candidate.equal?(candidate))

        # A mold that was given up may have been committed before: then it is not counted twice.
        def end_run(run, outcome)
          index = Board::REFORK_OUTCOMES.index(outcome)
          run.record.outcome = index + 1
          @board.server.count(:reforks, place: (run.record.reason * Board::REFORK_OUTCOMES.size) + index)
          @running = nil
        end

        def note_start(run)
          candidate, record = run.candidate, run.record
          record.fork_us = micro(candidate.forked_at - run.began_at) if candidate.forked_at && record.fork_us.negative?
          return unless candidate.ready_at && record.prepare_us.negative?

          record.prepare_us = micro(candidate.ready_at - candidate.forked_at)
        end

        def rolled_out?(run)
          run.candidate.generation == @roster.generation && @roster.candidate.nil? && @roster.filled?
        end

        def end_rollout(run, now)
          run.record.rollout_us = micro(now - run.committed_at)
          run.record.workers = workers_of(run).size
          run.record.private_after_kib = private_kib
          @rolling_out = nil
        end

        def workers_of(run)
          @roster.ready_workers.select do |worker|
            worker.generation == run.candidate.generation && worker.forked_at >= run.candidate.ready_at
          end
        end

        def private_kib = @roster.ready_workers.sum { |worker| worker.row.private_kib }

        def micro(seconds) = [(seconds * 1_000_000).round, 0].max
      end
    end
  end
end
