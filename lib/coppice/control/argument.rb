# frozen_string_literal: true

require_relative "path_word"

module Coppice
  module Control
    # One word after a verb, or a flag, with what it does in `doc`.
    #
    # words: all that the word can be, for one of a few; else nil. range: of a whole number. pattern: of other words,
    # whose meaning is `other`. path: whether it is a path, see PathWord. unlimited: whether the verb may take any time
    # with this flag.
    Argument = Struct.new(:usage, :range, :words, :pattern, :other, :optional, :path, :unlimited, :doc,
      keyword_init: true) do
      # The value of a word, which is none of a flag. Raises UsageError.
      #: (String) -> (Integer | String)
      def read(word)
        return word if words&.include?(word)
        return PathWord.decode(word) if path

        number = Integer(word, 10, exception: false) if range
        return number if number && range.cover?(number)
        return word if pattern&.match?(word)

        raise UsageError, "#{usage} is #{description}, not #{word.scrub('?')[0, 40].inspect}"
      end

      #: () -> String
      def description
        *others, last = [number, *words, other].compact
        others.empty? ? last.to_s : "#{others.join(', ')} or #{last}"
      end

      #: () -> bool
      def flag? = usage.start_with?("--")

      #: () -> String
      def in_usage = optional ? "[#{usage}]" : usage

      private

      def number = ("a whole number from #{range.begin}#{" to #{range.end}" if range.end}" if range)
    end
  end
end
