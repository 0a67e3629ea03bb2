# frozen_string_literal: true

module Bench
  # What does a request cost? A hello application, each request on a connection of its own. The figure to judge by
  # is the CPU time that all processes of the server spend on a request: it hardly depends on what else the machine
  # does, where requests per second and percentiles do. Rounds go in turn (A B C, A B C), so that a change in the
  # machine's mood meets every server.
  class Http
    WARM_UP_SECONDS = 1
    BODY_BYTES = 14 # of apps/hello.ru

    Round = Struct.new(:cpu_us, :result, keyword_init: true)

    #: (Options) -> void
    def initialize(options)
      @options = options
    end

    #: () -> Array[Plan]
    def plans
      @plans ||= @options.servers.map { |name| Servers.plan(name, **@options.plan, workers: @options.workers || 2) }
    end

    #: (Report) -> void
    def call(report)
      rounds = plans.to_h { |plan| [plan, []] }
      @options.rounds.times { plans.each { |plan| rounds[plan] << measure(plan) } }

      report.text "#{plans.first.workers} workers, #{clients} clients in a closed loop, a new connection for each request, " \
                  "#{@options.rounds} rounds of #{@options.seconds} s in turn: median (lowest–highest)."
      report.table ["server", "CPU µs per request", "ratio to #{base.label}", "req/s", "p50 ms", "p99 ms", "errors"],
        plans.map { |plan| row(plan, rounds) }
      report.text "The load generator itself took #{client_cost(rounds.values.flatten)} µs per request."
    end

    private

    def clients = @options.clients || 8

    # What ratios are taken to: Pitchfork, or else the first server.
    def base = plans.find { |plan| plan.server.name == "pitchfork" } || plans.first

    def measure(plan)
      RunningServer.run(plan) do |server|
        load = { clients: clients, path: "/", length: BODY_BYTES }
        Load.run(server.port, **load, seconds: WARM_UP_SECONDS)
        before = server.tree.cpu_seconds
        result = Load.run(server.port, **load, seconds: @options.seconds)
        cpu = server.tree.cpu_seconds - before
        Round.new(cpu_us: cpu * 1e6 / [result.answered, 1].max, result: result)
      end
    end

    def row(plan, rounds)
      own = rounds[plan]
      ratios = own.zip(rounds[base]).map { |mine, theirs| mine.cpu_us / theirs.cpu_us }
      results = own.map(&:result)
      [plan.label, Spread.new(own.map(&:cpu_us)), Spread.new(ratios).to_s(digits: 2), Spread.new(results.map(&:requests_per_second)),
       Spread.new(results.map { |result| result.p50_us / 1e3 }).to_s(digits: 2),
       Spread.new(results.map { |result| result.p99_us / 1e3 }).to_s(digits: 2), LoadResult.errors_of(results)]
    end

    def client_cost(rounds)
      results = rounds.map(&:result)
      (results.sum(&:client_cpu_seconds) * 1e6 / [results.sum(&:answered), 1].max).round
    end
  end
end
