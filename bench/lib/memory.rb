# frozen_string_literal: true

require_relative "benchmark"
require_relative "memory_plots"
require_relative "memory_run"
require_relative "memory_tables"
require_relative "memory_variants"
require_relative "rounds"

module Bench
  # How much memory does a whole server use once it is warm, and later? Each worker serves many pages of an application
  # that loads lazily. Then the proportional set size of every process is read: a page that n processes share counts 1/n
  # in each. With reforks and without.
  class Memory < Benchmark
    #: () -> Array[Plan]
    def plans
      @plans ||= @options.servers.flat_map do |name|
        common = @options.plan_for(name)
        MemoryVariants.plans(name, @app, only: @options.variants, workers: @options.workers || 4, **common)
      end
    end

    #: (Report) -> void
    def call(report)
      runs = Rounds.new(plans, @options.rounds) do |server|
        MemoryRun.new(server, points: points, clients: clients, **@app.load)
      end
      rounds = @options.rounds == 1 ? "1 round" : "#{@options.rounds} rounds in turn"
      report.text "#{@app.description} #{plans.first.workers} workers, #{clients} clients in a closed loop, list is " \
                  "#{@app.refork_after.inspect}, #{rounds}."
      runs.write_refused(report)
      MemoryTables.new(runs.found, points: points).write(report)
      MemoryPlots.new(runs.found, points: points).write(report)
    end

    private

    def points = @options.points || @options.requests&.then { |count| [count] } || @app.points
    def clients = @options.clients || plans.first.workers
  end
end
