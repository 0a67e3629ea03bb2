# frozen_string_literal: true

require "coppice/board"

module Coppice
  class Monitor
    class Records
      # Notes the release that the server begins with, each roll and rollback, and how it ended.
      class Rolls
        #: (system: System, board: Board, roster: Roster) -> void
        def initialize(system:, board:, roster:)
          @system = system
          @board = board
          @roster = roster
          note_start
        end

        #: (Roll) -> void
        def started(roll)
          add(kind: Board::ROLL_KINDS.index(roll.kind.to_s), asked_by: roll.asked_by, directory: roll.directory)
          note_release(roll.release) if roll.release
        end

        # Its release can be booted.
        #: (Roll) -> void
        def prepared(roll)
          settings = roll.release.settings
          @record.canary_wanted = settings.canary_requests if settings.canary && !roll.rollback?
          note_release(roll.release)
        end

        # It was committed or given up.
        #: (Roll) -> void
        def decided(roll)
          @record.decided_us = ((@system.now - roll.asked_at) * 1_000_000).to_i
          @record.reason = roll.reason.to_s
          @record.generation = @roster.generation if roll.outcome == :committed
          note_canary(**roll.canary.fields.slice(:requests, :failed)) if roll.canary
          @record.outcome = 1 + Board::ROLL_OUTCOMES.index(roll.outcome.to_s)
          @board.server.count(:rolls, place: Board::COUNTED_ROLLS.index([roll.kind.to_s, roll.outcome.to_s]))
          note_running if roll.outcome == :committed
        end

        # What the trial of a new release has counted so far.
        #: (Canary::Counts) -> void
        def tried(counts) = note_canary(requests: counts.requests, failed: counts.failed)

        private

        def note_start
          release = @roster.release
          add(kind: 0, outcome: 1, number: release.number, decided_us: 0, directory: release.directory,
              revision: release.revision)
          note_running
        end

        def add(**values)
          sequence = @board.releases_count + 1
          @record = @board.release_record(sequence)
          @record.fill(sequence, { time_ms: @system.unix_ms, outcome: 0, number: 0, generation: 0, decided_us: -1,
                                   canary_wanted: 0, canary_requests: 0, canary_failed: 0, revision: "", asked_by: "",
                                   reason: "", **values })
          @board.releases_count = sequence
        end

        # The release of the last record is the committed one from now on.
        def note_running
          values = @record.to_h
          @board.running_release.fill(values.delete(:sequence), values)
          @board.release_number = values[:number]
        end

        def note_release(release)
          @record.revision = release.revision
          @record.number = release.number
        end

        def note_canary(requests:, failed:)
          @record.canary_requests = requests
          @record.canary_failed = failed
        end
      end
    end
  end
end
