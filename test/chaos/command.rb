# frozen_string_literal: true

require "optparse"
require_relative "run"

module Chaos
  # What bin/chaos was asked for.
  module Command
    #: (Array[String]) -> bool
    def self.call(words)
      wanted = { seconds: 60.0, seed: Random.rand(0xFFFFFF), workers: 4 }
      seconds, *rest = options.parse(words, into: wanted)
      raise OptionParser::NeedlessArgument, rest.first unless rest.empty?

      wanted[:seconds] = Float(seconds) if seconds
      Run.new(**wanted).call
    rescue OptionParser::ParseError, ArgumentError => error
      abort "bin/chaos: #{error.message}"
    end

    def self.options
      OptionParser.new("usage: bin/chaos [SECONDS] [--seed N] [--workers N] [--ruby PATH]") do |parser|
        parser.on("--seed N", Integer, "the same plan again")
        parser.on("--workers N", Integer, "at the start; 4 unless told otherwise")
      end
    end
    private_class_method :options
  end
end

if $PROGRAM_NAME == __FILE__
  $stdout.sync = true
  exit Chaos::Command.call(ARGV)
end
