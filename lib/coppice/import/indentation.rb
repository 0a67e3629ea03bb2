# frozen_string_literal: true

require "ripper"

module Coppice
  module Import
    # Moves lines of Ruby. Those that begin within a text, such as a heredoc, stay where they are: their spaces are a
    # part of it. Ripper tells them from others, because the syntax tree does not know where a heredoc ends.
    module Indentation
      # Tokens of a text, or of a comment from =begin to =end, that a line may begin with.
      TEXTS = %i[on_tstring_content on_tstring_end on_ignored_sp on_heredoc_end on_embexpr_beg on_embvar on_regexp_end
                 on_label_end on_embdoc_beg on_embdoc on_embdoc_end].freeze
      private_constant :TEXTS

      class << self
        # With these spaces in front of the lines, in place of those that all lines have.
        #: (String, String) -> String
        def set(code, spaces)
          fixed = fixed_lines(code)
          lines = code.lines
          blank, moved = lines.each_index.reject { |index| fixed.include?(index + 1) }
                              .partition { |index| lines[index].strip.empty? }
          margin = moved.map { |index| lines[index][/\A[ \t]*/].size }.min
          blank.each { |index| lines[index] = lines[index].delete(" \t") }
          moved.each { |index| lines[index] = "#{spaces}#{lines[index][margin..]}" }
          lines.join
        end

        private

        # The numbers of the lines that begin within a text.
        def fixed_lines(code)
          Ripper.lex(code).flat_map do |(line, column), type, token|
            next [] unless TEXTS.include?(type)

            [*(column.zero? ? line : line + 1)..(line + token.chomp.count("\n"))]
          end
        end
      end
    end
  end
end
