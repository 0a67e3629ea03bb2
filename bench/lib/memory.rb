# frozen_string_literal: true

require_relative "lazy_app"
require_relative "memory_map"

module Bench
  # What does a whole server weigh once it is warm? Each worker has served many pages of an application that fills
  # itself lazily; then every process of the tree is asked for its proportional set size, where a page that n processes
  # share counts 1/n in each. With reforking and without.
  class Memory
    REFORK_AFTER = [50, 100, 200].freeze
    # What there is to compare for each server: as it is, and with what it has for reforking.
    VARIANTS = {
      "coppice" => [{}, { refork: REFORK_AFTER }],
      "pitchfork" => [{}, { refork: REFORK_AFTER }, { refork: REFORK_AFTER, warmup: true }],
      "puma" => [{}, { refork: REFORK_AFTER }]
    }.freeze
    SECONDS = 300 # at most

    Round = Struct.new(:booted, :warm, :result, keyword_init: true)

    #: (Options) -> void
    def initialize(options)
      @options = options
      @app = LazyApp.named(options.app)
    end

    #: () -> Array[Plan]
    def plans
      @plans ||= @options.servers.flat_map do |name|
        VARIANTS.fetch(name, [{}]).filter_map do |variant|
          next if variant[:warmup] && !Process.respond_to?(:warmup) # Ruby 3.3 has it first

          Servers.plan(name, **@options.plan, **variant,
            label: label(name, variant), workers: @options.workers || 4,
            app: @app.rackup, gemfile: @app.gemfile, before_fork: @app.before_fork)
        end
      end
    end

    #: (Report) -> void
    def call(report)
      rounds = plans.to_h { |plan| [plan, []] }
      @options.rounds.times { plans.each { |plan| rounds[plan] << measure(plan) } }

      report.text "#{@app.description} #{plans.first.workers} workers, as many clients, #{requests} requests, " \
                  "#{@options.rounds} #{@options.rounds == 1 ? "round" : "rounds in turn: median (lowest–highest)"}."
      report.table ["server", "total PSS MiB", "booted, before any request", "processes", "shared part of a worker %",
                    "private MiB of a worker", "generation of the mold", "errors"], plans.map { |plan| row(plan, rounds[plan]) }
    end

    private

    def requests = @options.requests || 2000

    def label(name, variant)
      return name unless variant[:refork]

      refork = name == "puma" ? "fork_worker #{variant[:refork].first}" : "refork #{variant[:refork].inspect}"
      [name, refork, *("Process.warmup" if variant[:warmup])].join(", ")
    end

    def measure(plan)
      RunningServer.run(plan) do |server|
        MemoryMap.wait_until_quiet(server)
        booted = MemoryMap.of(server.tree)
        result = Load.run(server.port, clients: plan.workers, requests: requests, seconds: SECONDS, **@app.load)
        MemoryMap.wait_until_quiet(server)
        Round.new(booted: booted, warm: MemoryMap.of(server.tree), result: result)
      end
    end

    def row(plan, rounds)
      warm = rounds.map(&:warm)
      workers = warm.flat_map(&:workers)
      [plan.label, Spread.new(warm.map(&:total_mib)), Spread.new(rounds.map { |round| round.booted.total_mib }),
       Spread.new(warm.map { |map| map.sizes.size }), Spread.new(workers.map(&:shared_percent)), Spread.new(workers.map(&:private_mib)),
       Spread.new(warm.map(&:generation)), LoadResult.errors_of(rounds.map(&:result))]
    end
  end
end
