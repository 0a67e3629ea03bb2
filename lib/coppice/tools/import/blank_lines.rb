# frozen_string_literal: true

require "coppice/tools/import/text_lines"

module Coppice
  module Import
    # The blank lines that removed lines leave behind: no two in a row, and none before the end of a branch or a block.
    # Blank lines of texts stay.
    module BlankLines
      END_OF_BRANCH = /\A[ \t]*(?:end|else|elsif)\b/.freeze

      # A text without them.
      #: (String) -> String
      def self.tidied(text)
        fixed = TextLines.of(text)
        lines = text.lines.each.with_index(1).to_a
        kept = [*lines, nil].each_cons(2).reject do |(line, number), (following, _)|
          line == "\n" && !fixed.include?(number) && (following == "\n" || following&.match?(END_OF_BRANCH))
        end
        kept.map { |(line, _), _| line }.join
      end
    end
  end
end
