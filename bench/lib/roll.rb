# frozen_string_literal: true

require_relative "benchmark"
require_relative "memory_timeline"
require_relative "spread"

module Bench
  # New code in a running server: how long it takes, how much memory at the most, and how many requests fail, while one
  # client reads pages. `coppice roll` beside Puma's phased restart, which needs workers that load the application each
  # for itself, and Unicorn's USR2, which boots a second server of as many workers before the first gets QUIT.
  class Roll < Benchmark
    INTERVAL = 0.25 # seconds between two samples of the memory
    TIMEOUT = 180 # seconds
    WARM = 400 # requests before

    # How one server gets new code. start: tells it to. done: whether all its workers are new.
    Way = Struct.new(:name, :label, :config, :start, :done, keyword_init: true)

    PHASED_CONFIG = lambda do |plan, port, _path|
      ["bind 'tcp://127.0.0.1:#{port}'", "workers #{plan.workers}", "threads 1, 1", "preload_app! false"].join("\n")
    end

    # The log says of each worker that it can serve.
    WAYS = [
      Way.new(name: "coppice", label: "coppice roll",
        start: ->(server) { server.coppice("roll") }, # returns when the release is committed
        done: ->(server, old) { Roll.all_new?(server, old) }),
      Way.new(name: "puma", label: "Puma, phased restart without preload", config: PHASED_CONFIG,
        start: ->(server) { server.signal(:USR1) },
        done: ->(server, _old) { server.log.scan(/booted in .*phase: 1/).size == server.plan.workers }),
      Way.new(name: "unicorn", label: "Unicorn, USR2 and QUIT",
        start: ->(server) { server.signal(:USR2) },
        done: ->(server, _old) { Roll.replaced_by_second_unicorn?(server) })
    ].freeze

    Round = Struct.new(:before, :peak, :seconds, :answered, :errors, keyword_init: true)

    #: (RunningServer, Array[Integer]) -> bool
    def self.all_new?(server, old)
      workers = server.tree.select(&:worker?)
      workers.size == server.plan.workers && workers.all?(&:ready?) && (workers.map(&:pid) & old).empty?
    end

    # Tells the first server to exit once all workers of the second are ready.
    #: (RunningServer) -> bool
    def self.replaced_by_second_unicorn?(server)
      ready = server.log.scan(/worker=\d+ ready/).size == server.plan.workers * 2
      server.signal(:QUIT) if ready
      ready && server.ended?
    end

    #: () -> Array[Plan]
    def plans = @plans ||= ways.map { |way| plan(way) }

    #: (Report) -> void
    def call(report)
      rounds = ways.zip(plans).to_h { |way, plan| [way, Array.new(@options.rounds) { round(way, plan) }] }
      report.text "#{@app.description} #{plans.first.workers} workers, #{WARM} requests, then new code while one " \
                  "client reads pages. Total PSS, sampled every #{INTERVAL} s. Rounds: #{@options.rounds}; median " \
                  "(lowest–highest)."
      report.table ["", "seconds until all workers are new", "PSS before, MiB", "at most, MiB", "times as much",
                    "requests answered", "failed"],
        rounds.map { |way, of_way| row(way, of_way) }
    end

    private

    def ways = WAYS.select { |way| @options.servers.include?(way.name) }

    def plan(way)
      plan = Servers.plan(way.name, **@app.plan, **@options.plan_for(way.name), label: way.label,
        workers: @options.workers || 4)
      plan.server = plan.server.dup.tap { |server| server.config = way.config } if way.config
      plan
    end

    def round(way, plan)
      RunningServer.run(plan) do |server|
        Load.run(server.port, clients: 2, requests: WARM, keep_alive: true, **@app.load)
        before = MemoryMap.total_mib(server.tree)
        old = server.tree.select(&:worker?).map(&:pid)
        load = Load.new(server.port, clients: 1, seconds: TIMEOUT * 2, keep_alive: true, **@app.load).start
        seconds, timeline = renew(way, server, old)
        result = load.stop.finish
        Round.new(before: before, peak: timeline.peak, seconds: seconds, answered: result.answered,
          errors: result.error_count)
      end
    end

    # Seconds, and the memory meanwhile.
    def renew(way, server, old)
      MemoryTimeline.during(server, interval: INTERVAL) do
        started = Bench.now
        way.start.call(server)
        until way.done.call(server, old)
          raise Failure, "#{way.label} is not done after #{TIMEOUT} s" if Bench.now - started > TIMEOUT

          sleep 0.05
        end
        Bench.now - started
      end
    end

    def row(way, rounds)
      ratios = rounds.map { |round| round.peak / round.before }
      [way.label, Spread.new(rounds.map(&:seconds)).to_s(digits: 1), Spread.new(rounds.map(&:before)),
       Spread.new(rounds.map(&:peak)), Spread.new(ratios).to_s(digits: 2), rounds.sum(&:answered), rounds.sum(&:errors)]
    end
  end
end
