# frozen_string_literal: true

require_relative "lazy_app"

module Bench
  # A benchmark of bin/bench. A subclass says in `plans` which servers it runs, and measures them in `call`, which writes
  # a report.
  class Benchmark
    #: (Options) -> void
    def initialize(options)
      @options = options
      @app = LazyApps.of(options) if options.app || options.own_app
    end
  end
end
