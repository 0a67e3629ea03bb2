# frozen_string_literal: true

require "coppice/tools/top/meter"
require "coppice/tools/top/process_table"
require "coppice/tools/top/summary"

module Coppice
  module Top
    # The view as text, with all processes: for a pipe or a file.
    class Report
      # width: columns where the output is no terminal.
      #: (Terminal, Integer) -> void
      def initialize(terminal, width)
        @terminal = terminal
        @columns = terminal.size&.last || width
        @meter = Meter.new
      end

      # Takes in a snapshot; the figures of a time are those between the first and the last.
      #: (Hash[Symbol, untyped]) -> void
      def add(stats)
        @reading = @meter.read(stats)
      end

      #: () -> String
      def text
        table = ProcessTable.new(@reading)
        rows = [*table.others, *table.workers].map { |process| table.row(process, @columns) }
        lines = [*Summary.new(@reading).lines, Line.new, table.head(@columns), *rows]
        lines.map { |line| "#{@terminal.colour? ? line.paint(@columns, colour: true) : line}\n" }.join
      end
    end
  end
end
