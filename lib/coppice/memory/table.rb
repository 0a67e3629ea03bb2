# frozen_string_literal: true

require "coppice/memory/mapping_kinds"

module Coppice
  module Memory
    # A tree's measurements as text for people, in MiB: what each process uses, then where its memory lies.
    class Table
      HEAD = %w[process pid requests RSS PSS USS shared growth].freeze

      #: (ServerMemory) -> void
      def initialize(tree)
        @tree = tree
      end

      def to_s #: () -> String
        [*aligned([HEAD, *processes, totals]), "", verdict, "", "private of resident MiB, by kind:",
         *aligned([["process", *shown.map { |kind| MappingKinds::NAMES[kind] }], *kinds])].join("\n")
      end

      private

      def processes
        @tree.processes.map do |process|
          [process.name, process.pid, process.requests, *sizes(process.sizes), (format("%+.1f", process.growth / 1024.0) if process.growth)]
        end
      end

      def totals = ["total", nil, nil, *sizes(@tree.total)]

      def sizes(rollup) = [rollup.rss, rollup.pss, rollup.private, rollup.shared].map { |kib| mib(kib) }

      def verdict
        "#{mib(@tree.total.pss)} MiB in all; sharing saves #{mib(@tree.saved)} MiB of #{mib(@tree.total.rss)}"
      end

      def kinds
        @tree.processes.map do |process|
          [process.name, *process.kinds.values_at(*shown).map { |sum| "#{mib(sum.private)} of #{mib(sum.rss)}" }]
        end
      end

      # A kind that no process has is left out: without a JIT compiler there is no JIT code.
      def shown
        MappingKinds::NAMES.keys.select { |kind| @tree.processes.any? { |process| process.kinds[kind].rss.positive? } }
      end

      def mib(kib) = format("%.1f", kib / 1024.0)

      # Names to the left, numbers to the right.
      def aligned(rows)
        widths = (0...rows.first.size).map { |column| rows.map { |row| row[column].to_s.size }.max }
        rows.map do |row|
          widths.each_with_index.map { |width, at| at.zero? ? row[at].ljust(width) : row[at].to_s.rjust(width) }.join("  ").rstrip
        end
      end
    end
  end
end
