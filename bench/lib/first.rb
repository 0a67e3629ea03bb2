# frozen_string_literal: true

require_relative "benchmark"
require_relative "first_requests"
require_relative "memory_map"
require_relative "refork_watch"
require_relative "rounds"

module Bench
  # How long does a worker's first request take, compared with its later ones? Measured on a server that has just
  # booted, on one that was warmed up at boot, and on workers that were forked from a warm one. There are as many
  # clients as workers, so that each worker serves.
  class First < Benchmark
    # Answers of each worker before the refork. YJIT compiles a method once it was called 30 times: after fewer requests
    # it would compile in the first requests of the reforked workers, and they would measure that.
    COMPILED = 60

    # Servers that can refork and show the generation. Coppice also runs with the page as a warm-up request.
    VARIANTS = {
      "coppice" => ->(path) { [{}, { settings: ["warm_up_requests #{path.inspect}"] }] },
      "pitchfork" => ->(_path) { [{}, { warmup: true }] }
    }.freeze

    # Results of the workers of one server; `reforked` is empty if the server cannot refork.
    Round = Struct.new(:booted, :reforked, :errors, keyword_init: true)

    #: () -> Array[Plan]
    def plans
      @plans ||= @options.servers.flat_map do |name|
        common = @options.plan_for(name)
        environment = common[:environment].merge("BENCH_RACKUP" => File.expand_path(@app.rackup, Servers::APPS))
        Servers.variants(name, VARIANTS.fetch(name, ->(_path) { [{}] }).call(path), **@app.plan, **common,
          app: "named.ru", workers: workers, environment: environment)
      end
    end

    #: (Report) -> void
    def call(report)
      rounds = Rounds.new(plans, @options.rounds) { |server| round(server) }
      report.text "#{@app.description} #{workers} workers, #{clients} clients in a closed loop, all request " \
                  "`#{path}` only, #{@options.rounds} rounds in turn. Median of all workers (lowest–highest). A " \
                  "ratio compares one worker's first request with the median of its later ones. The worker that " \
                  "answered the benchmark's check whether the server is up does not count as booted."
      phases = %w[booted reforked].flat_map { |phase| ["#{phase}: first ms", "later ms", "ratio"] }
      rounds.write_table(report, ["server", *phases, "errors"]) { |label, of_plan| row(label, of_plan) }
    end

    private

    def workers = @options.workers || 4
    def clients = @options.clients || workers
    def path = @app.page

    def round(server)
      booted = ask(server, known: [server.greeting["x-process"]], enough: COMPILED)
      reforked = refork(server) if VARIANTS.key?(server.plan.server.name)
      Round.new(booted: booted.found, reforked: reforked&.found || [], errors: [booted, reforked].compact.sum(&:errors))
    end

    def refork(server)
      ReforkWatch.new(server).run
      MemoryMap.wait_until_quiet(server)
      ask(server)
    end

    def ask(server, **options)
      FirstRequests.new(server.port, path: path, workers: workers, clients: clients, **options).run
    end

    def row(label, rounds)
      phases = [rounds.flat_map(&:booted), rounds.flat_map(&:reforked)].flat_map do |found|
        [:first_ms, :later_ms, :ratio].map { |name| Spread.new(found.map(&name)).to_s(digits: 1) }
      end
      [label, *phases, rounds.sum(&:errors)]
    end
  end
end
