# frozen_string_literal: true

require "coppice/board/columns"
require "coppice/board/layout"

module Coppice
  class Board
    # One process's gauges. Written by the process that the column table names,
    # read by any.
    class Row
      ROLES = [:free, :worker, :mold, :service].freeze

      PLACES = Layout.offsets(ROW_COLUMNS).to_h { |column, at| [column.name, [at, column.cells].freeze] }.freeze
      private_constant :PLACES

      attr_reader :cells #: Cells
      attr_reader :index #: Integer

      #: (Cells, Integer, Integer) -> void
      def initialize(cells, offset, index)
        @cells = cells
        @offset = offset
        @index = index
      end

      # As text: each request stores several, and a method made of a block costs twice as much.
      Layout.offsets(ROW_COLUMNS).each do |column, at|
        class_eval(<<~RUBY, __FILE__, __LINE__ + 1)
          def #{column.name} = #{column.text? ? "@cells.read_text(@offset + #{at}, #{column.cells})" : "@cells[@offset + #{at}]"}

          def #{column.name}=(value)
            #{column.text? ? "@cells.write_text(@offset + #{at}, #{column.cells}, value)" : "@cells[@offset + #{at}] = value"}
          end
        RUBY
      end

      # Where a column begins in `cells`, and how many cells it has, for C code that reads and writes them itself.
      #: (Symbol) -> [Integer, Integer]
      def place_of(column)
        at, count = PLACES.fetch(column)
        [@offset + at, count]
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
