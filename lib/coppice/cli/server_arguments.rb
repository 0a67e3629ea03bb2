# frozen_string_literal: true

require "coppice/config/flag_parser"
require "coppice/errors"

module Coppice
  class CLI
    # The arguments of a command for a running server: at most one pid, alone or after --pid, and the command's own
    # flags.
    module ServerArguments
      # Yields the parser, for the flags. Returns the text of the pid, or nil. Raises UsageError.
      #: (Array[String]) { (OptionParser) -> void } -> String?
      def self.parse(arguments, &flags)
        pids = []
        parser = Config::FlagParser.new do |own|
          own.on("--pid PID") { |pid| pids << pid }
          flags.call(own)
        end
        pids.concat(parser.words(arguments))
        raise UsageError, "one pid is enough, but there are #{pids.size}: #{pids.join(' ')}" if pids.size > 1

        pids.first
      end
    end
  end
end
