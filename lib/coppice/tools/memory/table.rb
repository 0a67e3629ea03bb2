# frozen_string_literal: true

require "coppice/tools/memory/mapping_kinds"

module Coppice
  module Memory
    # A server's memory as readable text, in MiB: a table of the processes, then their private memory by kind.
    class Table
      HEAD = %w[process pid requests RSS PSS USS shared growth].freeze
      UNKNOWN = "- is not known: with jemalloc, tcmalloc or mimalloc it is a part of anonymous (docs/memory.md)"

      #: (ServerMemory) -> void
      def initialize(server)
        @server = server
      end

      def to_s #: () -> String
        [*aligned([HEAD, *processes, totals]), "", verdict, "", "private of resident MiB, by kind:",
         *aligned([["process", *shown.map { |kind| MappingKinds::NAMES[kind] }], *kinds]), *note].join("\n")
      end

      private

      def processes
        @server.processes.map do |process|
          growth = format("%+.1f", process.growth / 1024.0) if process.growth
          [process.name, process.pid, process.requests, *sizes(process.sizes), growth]
        end
      end

      def totals = ["total", nil, nil, *sizes(@server.total)]

      def sizes(rollup) = [rollup.rss, rollup.pss, rollup.private, rollup.shared].map { |kib| mib(kib) }

      def verdict
        "#{mib(@server.total.pss)} MiB in all; sharing saves #{mib(@server.saved)} MiB of #{mib(@server.total.rss)}\n" \
          "#{mib(@server.pss_of_forks)} MiB of them in molds, workers, services and guests, as `coppice status` counts"
      end

      def kinds
        @server.processes.map do |process|
          [process.name, *process.kinds.values_at(*shown).map { |sum| sum ? private_of_resident(sum) : "-" }]
        end
      end

      def private_of_resident(sum) = "#{mib(sum.private)} of #{mib(sum.rss)}"

      # The kinds that at least one process has: without a JIT compiler there is no column for JIT code.
      def shown
        kinds = @server.processes.map(&:kinds)
        MappingKinds::NAMES.keys.select { |kind| kinds.any? { |sums| sums[kind].nil? || sums[kind].rss.positive? } }
      end

      def note = (["", UNKNOWN] if @server.processes.any? { |process| process.kinds.value?(nil) })

      def mib(kib) = format("%.1f", kib / 1024.0)

      # Aligns names to the left, and numbers to the right.
      def aligned(rows)
        widths = (0...rows.first.size).map { |column| rows.map { |row| row[column].to_s.size }.max }
        rows.map do |row|
          name, *numbers = widths.zip(row)
          [name[1].ljust(name[0]), *numbers.map { |width, cell| cell.to_s.rjust(width) }].join("  ").rstrip
        end
      end
    end
  end
end
