# frozen_string_literal: true

require "coppice"
require "coppice/tools/test_reforks/run"

module Coppice
  # Runs a test suite through reforks: every so many tests the suite goes on in a copy of its process, made as a
  # promotion makes it, so that the suite finds what does not survive a refork. coppice/minitest and coppice/rspec start
  # it; docs/testing_reforks.md describes it.
  module TestReforks
    DEFAULT_EVERY = 50    # tests in each generation
    DEFAULT_TIMEOUT = 300 # seconds

    class << self
      # Number of tests in each generation; 0 for no refork. Raises ConfigError for a variable that is not a number.
      #: () -> Integer
      def every = variable("COPPICE_REFORK_EVERY", DEFAULT_EVERY)

      # Seconds that a test may take after a refork.
      #: () -> Integer
      def timeout = variable("COPPICE_REFORK_TIMEOUT", DEFAULT_TIMEOUT)

      # Runs the block, which runs the suite, with reforks or without.
      #: [T] (MinitestSuite | RSpecSuite) { () -> T } -> T
      def run(suite, &block)
        return yield unless enabled?

        refuse(suite.obstacle) if suite.obstacle

        Run.new(suite, every: every, timeout: timeout, settings: settings).call(&block)
      rescue ConfigError => error
        refuse(error.message)
      end

      private

      def enabled?
        return false if every.zero?

        OS.supervises?.tap { |can| warn "coppice: the tests run without reforks, which need Linux" unless can }
      end

      # The settings of the configuration file, for its hooks. The copy of the environment keeps RACK_ENV as it is.
      def settings
        require "coppice/config/loader"
        Config::Loader.new(environment: ENV.to_h).load
      end

      def variable(name, default)
        text = ENV.fetch(name, default.to_s)
        return text.to_i if text.match?(/\A\d+\z/)

        raise ConfigError, "#{name} is not a number of 0 or more: #{text.inspect}"
      end

      # exit! because the exit handlers of a suite may run it, or report on it.
      def refuse(why)
        $stdout.flush
        warn "coppice: the tests cannot run with reforks: #{why}"
        exit!(1)
      end
    end
  end
end
