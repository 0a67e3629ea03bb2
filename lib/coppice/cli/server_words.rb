# frozen_string_literal: true

require "coppice/config/flag_parser"
require "coppice/config/suggestion"
require "coppice/errors"

module Coppice
  class CLI
    # The words after a command that is about a running server: at most one pid, and flags of the command's own.
    module ServerWords
      # Yields the parser, for the flags. Answers the word that stands for the pid, or nil. Raises UsageError.
      #: (Array[String]) { (OptionParser) -> void } -> String?
      def self.parse(words, &flags)
        parser = Config::FlagParser.new(&flags)
        pids = parser.permute(words)
        raise UsageError, "one pid is enough, but there are #{pids.size}: #{pids.join(' ')}" if pids.size > 1

        pids.first
      rescue OptionParser::InvalidOption => error
        raise UsageError, Config::Suggestion.unknown_flag(error.args.first, parser)
      rescue OptionParser::ParseError => error
        raise UsageError, error.message
      end
    end
  end
end
