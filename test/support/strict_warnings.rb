# frozen_string_literal: true

module Coppice
  # Makes a Ruby warning about one of our own files an error. Warnings about gems are only shown.
  module StrictWarnings
    PROJECT = File.expand_path("../..", __dir__)
    OURS = %r{\A#{Regexp.escape(PROJECT)}/(?:lib|test|exe|ext|bench|examples)/}

    # Raised in place of the warning, by the code that it is about.
    class Warned < StandardError; end

    # `Warning.warn` is Ruby's own hook for this.
    module Raise
      def warn(message, **)
        raise Warned, message if OURS.match?(File.expand_path(message))

        super
      end
    end

    def self.enable #: () -> void
      Warning[:deprecated] = true
      Warning.extend(Raise)
    end
  end
end
