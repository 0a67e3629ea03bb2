# frozen_string_literal: true

require "optparse"
require_relative "run"

module Chaos
  # The command line of bin/chaos.
  module Command
    #: (Array[String]) -> bool
    def self.call(arguments)
      settings = { seconds: 60.0, seed: Random.rand(0xFFFFFF), workers: 4 }
      seconds, *rest = options.parse(arguments, into: settings)
      raise OptionParser::NeedlessArgument, rest.first unless rest.empty?

      settings[:seconds] = Float(seconds) if seconds
      Run.new(**settings).call
    rescue OptionParser::ParseError, ArgumentError => error
      abort "bin/chaos: #{error.message}"
    end

    def self.options
      OptionParser.new("usage: bin/chaos [SECONDS] [--seed N] [--workers N] [--ruby PATH]") do |parser|
        parser.on("--seed N", Integer, "repeats the plan of this seed")
        parser.on("--workers N", Integer, "worker processes at the start (default: 4)")
      end
    end
    private_class_method :options
  end
end

if $PROGRAM_NAME == __FILE__
  $stdout.sync = true
  exit Chaos::Command.call(ARGV)
end
