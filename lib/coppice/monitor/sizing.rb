# frozen_string_literal: true

require "coppice/monitor/steps"
require "coppice/monitor/worker_count"

module Coppice
  class Monitor
    # Decides how many workers there are: the number in the configuration, or with :auto what processors and memory
    # allow. Before the first mold is ready only the processors count. When it is ready its size counts as well, before
    # a worker is forked from it.
    class Sizing
      #: (Config::Settings, processors: Numeric, memory_total_kib: Integer?) -> void
      def initialize(settings, processors:, memory_total_kib:)
        @wanted = settings.worker_processes
        return unless @wanted == :auto

        @count = WorkerCount.new(processors: processors, memory_total_kib: memory_total_kib)
      end

      # The number before the mold is ready.
      #: () -> Integer
      def first_target = @count ? @count.answer.workers : @wanted

      # Decides once. A TTIN or TTOU that came before the mold was ready has decided already.
      #: (Roster, Float) -> Array[Step]
      def next(roster, _now)
        return [] unless @count && roster.mold&.ready?

        answer = @count.answer(mold_kib: roster.mold.row.pss_kib)
        asked_for = roster.wanted != first_target
        @count = nil
        asked_for ? [] : [Steps::Resize.new(answer.workers, answer.reason_fields)]
      end
    end
  end
end
