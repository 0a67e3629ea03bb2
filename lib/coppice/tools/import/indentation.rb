# frozen_string_literal: true

require "coppice/tools/import/text_lines"

module Coppice
  module Import
    # Moves lines of Ruby. A line that begins within a text stays where it is.
    module Indentation
      # With these spaces in front of the lines, in place of those that all lines have.
      #: (String, String) -> String
      def self.set(code, spaces)
        fixed = TextLines.of(code, lists: false)
        lines = code.lines
        blank, moved = lines.each_index.reject { |index| fixed.include?(index + 1) }
                            .partition { |index| lines[index].strip.empty? }
        margin = moved.map { |index| lines[index][/\A[ \t]*/].size }.min
        blank.each { |index| lines[index] = lines[index].delete(" \t") }
        moved.each { |index| lines[index] = "#{spaces}#{lines[index][margin..]}" }
        lines.join
      end
    end
  end
end
