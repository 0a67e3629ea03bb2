# frozen_string_literal: true

require "coppice/config/types/worker_count"

# Runs in the monitor, and in `coppice check`.

module Coppice
  class Monitor
    # How many workers `worker_processes :auto` comes to. A worker serves one client at a time and waits for databases
    # meanwhile: so there are more than processors. Memory may allow fewer: the mold's is known once it is ready, and a
    # worker is taken for half as large, since it shares the rest with the mold.
    class WorkerCount
      FOR_EACH_PROCESSOR = Rational(3, 2)
      LEAST = 2 # else each slow request would hold up everybody; memory may want fewer all the same
      SHARE_OF_MEMORY = Rational(8, 10)
      SHARE_OF_MOLD = Rational(1, 2)

      # The count, and how it came about, as fields of a log line.
      Answer = Struct.new(:count, :grounds)

      # processors: how many may be used, a fraction too; memory_total_kib: of all processes, nil where nobody knows.
      #: (processors: Numeric, memory_total_kib: Integer?) -> void
      def initialize(processors:, memory_total_kib:)
        @processors = processors
        @memory_total_kib = memory_total_kib
      end

      # mold_kib: its PSS; nil or zero as long as nobody has measured it.
      #: (?mold_kib: Integer?) -> Answer
      def answer(mold_kib: nil)
        return Answer.new(wanted, { processors: processors }) if @memory_total_kib.nil? || mold_kib.to_i.zero?

        count = [wanted, fitting(mold_kib)].min.clamp(1, wanted)
        Answer.new(count, { why: count < wanted ? :memory : :processors, processors: processors,
                            mold_mib: mold_kib / 1024, memory_mib: @memory_total_kib / 1024 })
      end

      private

      def processors = @processors.to_i == @processors ? @processors.to_i : @processors.to_f.round(2)

      def wanted = (@processors * FOR_EACH_PROCESSOR).ceil.clamp(LEAST, Config::Types::WorkerCount::MOST)

      # Beside the mold, each at its share of the mold's size.
      def fitting(mold_kib) = (((@memory_total_kib * SHARE_OF_MEMORY) - mold_kib) / (mold_kib * SHARE_OF_MOLD)).floor
    end
  end
end
