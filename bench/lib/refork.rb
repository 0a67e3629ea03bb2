# frozen_string_literal: true

require_relative "benchmark"
require_relative "refork_round"
require_relative "refork_tables"
require_relative "rounds"

module Bench
  # What do clients notice of a refork, and what does it cost? There are as many clients as workers, so that a missing
  # worker and a processor that prepares a mold both show in the figures.
  class Refork < Benchmark
    # The variants of each server.
    VARIANTS = {
      "coppice" => [{}, { settings: ["refork_surge 0"] }, { settings: ['refork_surge "50%"'] },
                    { settings: ["warmup false"] }, { settings: ["quick_exit false"] }],
      "pitchfork" => [{}, { warmup: true }]
    }.freeze

    #: (Options) -> void
    def initialize(options)
      unknown = options.servers - VARIANTS.keys
      raise Failure, "refork supports #{VARIANTS.keys.join(" and ")} only, not #{unknown.join(", ")}" if unknown.any?

      super
    end

    #: () -> Array[Plan]
    def plans
      @plans ||= @options.servers.flat_map do |name|
        Servers.variants(name, VARIANTS.fetch(name), **@options.plan, **@app.plan, workers: workers)
      end
    end

    #: (Report) -> void
    def call(report)
      rounds = Rounds.new(plans, @options.rounds) { |server| measure(server) }
      report.text "#{@app.description} #{workers} workers, #{clients} clients in a closed loop. #{@options.requests} " \
                  "requests to warm up, #{@options.seconds} s without a refork (the baseline), then a refork; " \
                  "#{@options.rounds} rounds in turn: median (lowest–highest). Ratios compare with the baseline of " \
                  "the same server in the same round."
      rounds.write_refused(report)
      ReforkTables.new(rounds.found).write(report)
    end

    private

    def workers = @options.workers || 4
    def clients = @options.clients || workers

    def measure(server)
      ReforkRound.new(server, clients: clients, **@app.load)
                 .measure(warm_up_requests: @options.requests, steady_seconds: @options.seconds)
    end
  end
end
