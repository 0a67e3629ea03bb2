# frozen_string_literal: true

require "coppice/monitor/steps"
require "coppice/monitor/worker_count"

# Runs in the monitor.

module Coppice
  class Monitor
    # Decides how many workers there are: what the user says, or with :auto so many as processors and memory allow. Until
    # the first mold is ready the processors alone count; then its size does as well, before anybody is forked from it.
    class Sizing
      #: (untyped, processors: Numeric, memory_total_kib: Integer?) -> void
      def initialize(settings, processors:, memory_total_kib:)
        @count = WorkerCount.new(processors: processors, memory_total_kib: memory_total_kib) if settings.worker_processes == :auto
        @wanted = settings.worker_processes
      end

      # How many to begin with.
      #: () -> Integer
      def first_target = @count ? @count.answer.count : @wanted

      # Once. TTIN and TTOU say more than any guess: whoever sent one before has decided.
      #: (Roster, Float) -> Array[Step]
      def next(roster, _now)
        return [] unless @count && roster.mold&.ready?

        answer = @count.answer(mold_kib: roster.mold.row.pss_kib)
        asked_for = roster.target != first_target
        @count = nil
        asked_for ? [] : [Steps::Resize.new(answer.count, answer.grounds)]
      end
    end
  end
end
