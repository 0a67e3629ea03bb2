# frozen_string_literal: true

module Coppice
  module Config
    # Finds the name that a user probably meant.
    module Suggestion
      # A sentence for the end of an error message; nil when no name is near, or when this Ruby was installed without
      # the did_you_mean gem. Loads Ruby's spell checker only now: most servers start without a mistake to report, and
      # the monitor keeps what it loads. Its one file works without RubyGems and changes no other class.
      #: (String | Symbol, Enumerable[String | Symbol]) -> String?
      def self.sentence(word, names)
        require "did_you_mean/spell_checker"
        name, = DidYouMean::SpellChecker.new(dictionary: names.map(&:to_s)).correct(word.to_s)
        "Did you mean #{name}?" if name
      rescue LoadError
        nil
      end
    end
  end
end
