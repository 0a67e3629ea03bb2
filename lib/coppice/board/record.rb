# frozen_string_literal: true

require "coppice/board/layout"

module Coppice
  class Board
    # The gauges of one record: a reader and a writer for each column. The table of columns names the process that
    # writes each gauge; any process may read it.
    class Record
      class << self
        attr_reader :columns #: Array[Column]

        # A class of records with these columns.
        #: (Array[Column]) -> Class
        def of(columns)
          Class.new(self) do
            @columns = columns
            @places = Layout.offsets(columns).to_h { |column, at| [column.name, [at, column.cells].freeze] }.freeze
            define_accessors
          end
        end

        def inherited(record)
          super
          record.instance_exec(@columns, @places) { |columns, places| @columns, @places = columns, places }
        end

        # Where each column begins in a record, and how many cells it has.
        #: () -> Hash[Symbol, [Integer, Integer]]
        attr_reader :places

        private

        # Defined from text: each request stores several gauges, and a method defined from a block costs twice as much.
        def define_accessors
          Layout.offsets(columns).each do |column, at|
            read, write = accessors(column, "@offset + #{at}")
            class_eval(<<~RUBY, __FILE__, __LINE__ + 1)
              def #{column.name} = #{read}

              def #{column.name}=(value)
                #{write}
              end
            RUBY
          end
        end

        def accessors(column, cell)
          case column.kind
          when :text
            ["@cells.read_text(#{cell}, #{column.cells})", "@cells.write_text(#{cell}, #{column.cells}, value)"]
          when :numbers then ["@cells.read(#{cell}, #{column.cells})", "@cells.write(#{cell}, value)"]
          else ["@cells[#{cell}]", "@cells[#{cell}] = value"]
          end
        end
      end

      attr_reader :cells #: Cells

      #: (Cells, Integer) -> void
      def initialize(cells, offset)
        @cells = cells
        @offset = offset
      end

      # Where a column begins in `cells`, and how many cells it has, for C code that reads and writes them itself.
      #: (Symbol) -> [Integer, Integer]
      def place_of(column)
        at, count = self.class.places.fetch(column)
        [@offset + at, count]
      end

      # Adds to a number that more than one thread or process may count; `place` is that in a column of numbers.
      #: (Symbol, ?Integer, ?place: Integer) -> void
      def count(column, number = 1, place: 0)
        @cells.add(place_of(column).first + place, number)
      end

      # All values, each column under its name.
      #: () -> Hash[Symbol, untyped]
      def to_h = self.class.columns.to_h { |column| [column.name, public_send(column.name)] }

      # Writes these values, and what the block writes, under a sequence number, which a reader finds only when all is
      # complete.
      #: (Integer, Hash[Symbol, untyped]) ?{ () -> void } -> void
      def fill(sequence, values)
        self.sequence = 0
        values.each { |name, value| public_send(:"#{name}=", value) }
        yield if block_given?
        self.sequence = sequence
      end
    end
  end
end
