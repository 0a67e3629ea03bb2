# frozen_string_literal: true

require "coppice/board/columns"

module Coppice
  class Board
    # One process's gauges. Written by the process that the column table names,
    # read by any.
    class Row
      ROLES = [:free, :worker, :mold, :service].freeze

      attr_reader :index #: Integer

      #: (Cells, Integer, Integer) -> void
      def initialize(cells, offset, index)
        @cells = cells
        @offset = offset
        @index = index
      end

      ROW_COLUMNS.inject(0) do |at, column|
        if column.text?
          define_method(column.name) { @cells.read_text(@offset + at, column.cells) }
          define_method(:"#{column.name}=") { |text| @cells.write_text(@offset + at, column.cells, text) }
        else
          define_method(column.name) { @cells[@offset + at] }
          define_method(:"#{column.name}=") { |value| @cells[@offset + at] = value }
        end
        at + column.cells
      end

      # Hands the row to a process about to be spawned (monitor).
      #: (role: Symbol, nr: Integer?, generation: Integer) -> void
      def assign(role:, nr:, generation:)
        clear
        self.nr = nr || -1
        self.generation = generation
        self.role = ROLES.index(role) or raise Bug, "no role #{role.inspect}"
      end

      # Takes it back once the process is reaped (monitor).
      #: () -> void
      def clear
        ROW_COLUMNS.sum(&:cells).times { |at| @cells[@offset + at] = 0 }
      end

      #: () -> Symbol
      def role_name = ROLES.fetch(role)

      #: () -> bool
      def used? = !role.zero? && !pid.zero?

      #: () -> bool
      def ready? = ready == 1

      #: () -> bool
      def fork_safe? = not_fork_safe.zero?
    end
  end
end
