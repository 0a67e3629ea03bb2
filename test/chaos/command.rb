# frozen_string_literal: true

require "optparse"
require_relative "run"

module Chaos
  # The command line of bin/chaos.
  module Command
    #: (Array[String]) -> bool
    def self.call(arguments)
      settings = { seed: Random.rand(0xFFFFFF), workers: 4 }
      seconds, *rest = options.parse(arguments, into: settings)
      raise OptionParser::NeedlessArgument, rest.first unless rest.empty?
      raise OptionParser::NeedlessArgument, seconds if seconds && settings[:lives]

      none = settings.slice(:lives, :rounds, :workers).reject { |_, value| value.positive? }
      raise OptionParser::InvalidArgument, "--#{none.first.join(' ')}" if none.any?

      settings[:seconds] = settings[:lives] ? nil : Float(seconds || 60)
      Run.new(**settings).call
    rescue OptionParser::ParseError, ArgumentError => error
      abort "bin/chaos: #{error.message}"
    end

    def self.options
      usage = "usage: bin/chaos [SECONDS | --lives N] [--rounds N] [--seed N] [--workers N] [--ruby PATH]"
      OptionParser.new(usage) do |parser|
        parser.on("--seed N", Integer, "repeats the plan of this seed")
        parser.on("--lives N", Integer, "so many lives instead of seconds; again if a rule is broken")
        parser.on("--rounds N", Integer, "bursts of faults in each life (default: #{Plan::ROUNDS})")
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
