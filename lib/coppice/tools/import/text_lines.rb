# frozen_string_literal: true

require "ripper"
require "set"

module Coppice
  module Import
    # Tells which lines of Ruby begin within a text, such as a heredoc: their spaces and blank lines are a part of it.
    # Ripper tells them from others, because the syntax tree does not know where a heredoc ends.
    module TextLines
      # Tokens of a text, or of a comment from =begin to =end, that a line may begin with.
      TOKENS = %i[on_tstring_content on_tstring_end on_ignored_sp on_heredoc_end on_embexpr_beg on_embvar on_regexp_end
                  on_label_end on_embdoc_beg on_embdoc on_embdoc_end].freeze
      # Tokens of a list such as %w[]: only the words are a part of it.
      LIST_TOKENS = %i[on_words_beg on_qwords_beg on_symbols_beg on_qsymbols_beg on_words_sep].freeze
      private_constant :TOKENS, :LIST_TOKENS

      # Their numbers, from 1 on; without lists, only those of other texts than lists of words.
      #: (String, ?lists: bool) -> Set[Integer]
      def self.of(code, lists: true)
        Ripper.lex(code).each_with_object(Set.new) do |((line, column), type, token), numbers|
          next unless TOKENS.include?(type) || (lists && LIST_TOKENS.include?(type))

          numbers.merge((column.zero? ? line : line + 1)..(line + token.chomp.count("\n")))
        end
      end
    end
  end
end
