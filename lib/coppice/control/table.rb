# frozen_string_literal: true

module Coppice
  module Control
    # Rows of texts as lines whose columns are aligned.
    module Table
      # right: the places of the columns that are aligned to the right.
      #: (Array[Array[String]], ?right: Array[Integer]) -> Array[String]
      def self.lines(rows, right: [])
        widths = rows.transpose.map { |cells| cells.map(&:size).max }
        rows.map do |row|
          cells = row.each_with_index.map do |text, at|
            right.include?(at) ? text.rjust(widths[at]) : text.ljust(widths[at])
          end
          cells.join("  ").rstrip
        end
      end
    end
  end
end
