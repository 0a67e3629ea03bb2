# frozen_string_literal: true

require_relative "lazy_app"

module Bench
  # A benchmark of bin/bench. A subclass says in `plans` which servers it runs; `call` measures them and writes the
  # report.
  class Benchmark
    #: (Options) -> void
    def initialize(options)
      @options = options
      @app = LazyApps.of(options) if options.app || options.own_app
    end
  end
end
