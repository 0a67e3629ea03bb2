# frozen_string_literal: true

require "coppice/config/types/amounts"

# Runs in the monitor, and in `coppice check`.

module Coppice
  class Monitor
    # Decides how many workers `worker_processes :auto` means. A worker waits for databases while it serves its client,
    # so there are more workers than processors. Memory may allow fewer. The mold's size is known when the mold is
    # ready; a worker counts as half as large, because it shares the rest with the mold.
    class WorkerCount
      FOR_EACH_PROCESSOR = Rational(3, 2)
      MOST_FOR_EACH_PROCESSOR = 8 # while they wait for something else: as many as Puma's five threads, and some
      LEAST = 2 # with one, each slow request would hold up all others; short memory allows one all the same
      SHARE_OF_MEMORY = Rational(8, 10)
      SHARE_OF_MOLD = Rational(1, 2)

      # The number of workers, the most that there may be while requests wait, and the reason as fields of a log line.
      Answer = Struct.new(:workers, :most, :reason_fields)

      # processors: may be a fraction; memory_total_kib: for all processes together, nil when it is not known.
      #: (processors: Numeric, memory_total_kib: Integer?) -> void
      def initialize(processors:, memory_total_kib:)
        @processors = processors
        @memory_total_kib = memory_total_kib
      end

      # mold_kib: the mold's PSS; nil or zero when it was not measured.
      #: (?mold_kib: Integer?) -> Answer
      def answer(mold_kib: nil)
        return Answer.new(wanted, most, { processors: processors }) if @memory_total_kib.nil? || mold_kib.to_i.zero?

        workers, most = [wanted, self.most].map { |number| fitting(mold_kib).clamp(1, number) }
        Answer.new(workers, most, { most: most, why: workers < wanted ? :memory : :processors, processors: processors,
                                    mold_mib: mold_kib / 1024, memory_mib: @memory_total_kib / 1024 })
      end

      private

      def processors = @processors.to_i == @processors ? @processors.to_i : @processors.to_f.round(2)

      def wanted = bounded(FOR_EACH_PROCESSOR)
      def most = bounded(MOST_FOR_EACH_PROCESSOR)
      def bounded(factor) = (@processors * factor).ceil.clamp(LEAST, Config::Types::WorkerCount::MAXIMUM)

      # Workers for which there is room beside the mold.
      def fitting(mold_kib) = (((@memory_total_kib * SHARE_OF_MEMORY) - mold_kib) / (mold_kib * SHARE_OF_MOLD)).floor
    end
  end
end
