# frozen_string_literal: true

require "coppice/board/columns"
require "coppice/board/layout"
require "coppice/roles"

module Coppice
  class Board
    # The gauges of one process. The table of columns names the process that writes each gauge; any process may read it.
    class Row
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

      # Defined from text: each request stores several gauges, and a method defined from a block costs twice as much.
      Layout.offsets(ROW_COLUMNS).each do |column, at|
        cell = "@offset + #{at}"
        read = column.text? ? "@cells.read_text(#{cell}, #{column.cells})" : "@cells[#{cell}]"
        write = column.text? ? "@cells.write_text(#{cell}, #{column.cells}, value)" : "@cells[#{cell}] = value"
        class_eval(<<~RUBY, __FILE__, __LINE__ + 1)
          def #{column.name} = #{read}

          def #{column.name}=(value)
            #{write}
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
      # Raises Bug for a role that does not exist.
      #: (role: Symbol, nr: Integer?, generation: Integer) -> void
      def assign(role:, nr:, generation:)
        clear
        self.nr = nr || -1
        self.generation = generation
        self.role = Roles.number(role)
      end

      # Takes it back once the process is reaped (monitor).
      #: () -> void
      def clear
        ROW_COLUMNS.sum(&:cells).times { |at| @cells[@offset + at] = 0 }
      end

      #: () -> Symbol
      def role_name = Roles.name_of(role)

      #: () -> bool
      def used? = role != Roles::FREE && !pid.zero?

      #: () -> bool
      def ready? = ready == 1

      #: () -> bool
      def fork_safe? = not_fork_safe.zero?
    end
  end
end
