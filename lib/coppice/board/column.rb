# frozen_string_literal: true

module Coppice
  class Board
    # One gauge: its name, the one process that writes it, its meaning, its number of 64-bit cells, and what they hold:
    # a :number, a :text, or several :numbers.
    Column = Struct.new(:name, :writer, :meaning, :cells, :kind, keyword_init: true) do
      # Each row is [name, writer, meaning], [name, writer, meaning, cells] for a text, or with :numbers behind it.
      def self.table(*rows)
        columns = rows.map do |name, writer, meaning, cells = 1, kind = (cells > 1 ? :text : :number)|
          new(name: name, writer: writer, meaning: meaning, cells: cells, kind: kind).freeze
        end
        columns.freeze
      end

      # Its name and size in the board's header.
      def to_s
        case kind
        when :text then "#{name}:#{cells}"
        when :numbers then "#{name}[#{cells}]"
        else name.to_s
        end
      end
    end
  end
end
