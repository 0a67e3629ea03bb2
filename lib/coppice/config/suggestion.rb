# frozen_string_literal: true

module Coppice
  module Config
    # Finds the name that was meant. Has its own measure: the monitor runs without the did_you_mean gem.
    module Suggestion
      #: (String | Symbol, Enumerable[String | Symbol]) -> String?
      def self.near(word, names)
        word = word.to_s
        best = names.map(&:to_s).min_by { |name| distance(word, name) }
        best if best && distance(word, best) <= tolerance(word)
      end

      # A sentence for the end of an error message, or nil.
      #: (String | Symbol, Enumerable[String | Symbol]) -> String?
      def self.sentence(word, names)
        name = near(word, names)
        "Did you mean #{name}?" if name
      end

      # What is wrong with a flag that a parser does not know.
      #: (String, OptionParser) -> String
      def self.unknown_flag(flag, parser)
        known = parser.to_s.gsub("[no-]", "").scan(/--[\w-]+/)
        ["unknown flag #{flag}", sentence(flag, known)].compact.join(". ")
      end

      # Two letters that changed places count as two changes; in a very short word that would fit anything.
      def self.tolerance(word)
        word.size < 4 ? 1 : [word.size / 3, 2].max
      end
      private_class_method :tolerance

      # The number of letters to add, drop or replace (Levenshtein), row by row of the usual table.
      def self.distance(one, other)
        (1..one.size).reduce((0..other.size).to_a) do |above, i|
          (1..other.size).each_with_object([i]) do |j, row|
            substitution = above[j - 1] + (one[i - 1] == other[j - 1] ? 0 : 1)
            row << [above[j] + 1, row[j - 1] + 1, substitution].min
          end
        end.last
      end
      private_class_method :distance
    end
  end
end
