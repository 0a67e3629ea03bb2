# frozen_string_literal: true

require_relative "benchmark"
require_relative "interval"
require_relative "load"
require_relative "memory_map"

module Bench
  # What does the fitted profile of Ruby's garbage collector cost in CPU time, compared with Ruby's own parameters, and
  # how much memory does it save? Two servers that differ only in the profile run side by side and get requests in turn,
  # so that other load on the machine affects both.
  class Collector < Benchmark
    PROFILES = %w[:ruby :fitted].freeze
    SECONDS = 300 # at most, for one turn
    WARM_UP = 3 # turns' worth of requests

    Side = Struct.new(:server, :cpu_ms, keyword_init: true)

    #: () -> Array[Plan]
    def plans
      @plans ||= PROFILES.map do |profile|
        common = @options.plan_for("coppice")
        settings = [*common[:settings], warm_up, "gc_profile #{profile}#{", wait: true" if profile == ":fitted"}"]
        label = "gc_profile #{profile}"
        Servers.plan("coppice", **@app.plan, **common, settings: settings, workers: workers, label: label)
      end
    end

    #: (Report) -> void
    def call(report)
      RunningServer.run(*plans) do |*servers|
        compare(report, servers.map { |server| Side.new(server: server, cpu_ms: []) })
      end
    end

    private

    def workers = @options.workers || 2
    def clients = @options.clients || 1
    def requests = @options.requests || 300

    # The requests that the profile is fitted to.
    def warm_up
      paths = @app.load.fetch(:path).split(",").map { |path| path.gsub("{n}", "1") }
      "warm_up_requests #{paths.map(&:inspect).join(", ")}"
    end

    def compare(report, sides)
      sides.each { |side| ask(side.server, WARM_UP * requests) }
      @options.rounds.times do |round|
        warn "bench: pair #{round + 1} of #{@options.rounds}"
        (round.even? ? sides : sides.reverse).each { |side| side.cpu_ms << ask(side.server, requests) }
      end
      write(report, sides)
    end

    # CPU ms per request, of all processes.
    def ask(server, count)
      before = server.tree.cpu
      result = Load.run(server.port, clients: clients, requests: count, seconds: SECONDS, **@app.load)
      raise Failure, "#{server.plan.label}: #{LoadResult.errors_of([result])}" if result.error_count.positive?

      (server.tree.cpu - before).seconds * 1000 / result.answered
    end

    def write(report, sides)
      ratios = sides.last.cpu_ms.zip(sides.first.cpu_ms).map { |fitted, own| fitted / own }
      report.text "#{@app.description} #{workers} workers, #{clients} client(s). #{@options.rounds} pairs of " \
                  "#{requests} requests to each of two servers that run side by side; the order changes each time; " \
                  "median (lowest–highest). CPU time per request, fitted relative to Ruby's own parameters: " \
                  "**#{Interval.of(ratios)}** (95 % interval of the mean ratio)."
      report.table ["profile", "CPU ms per request", "private MiB of a worker", "shared part %", "total PSS MiB",
                    "parameters"],
        sides.map { |side| row(side) }
    end

    def row(side)
      map = MemoryMap.of(side.server.tree)
      [side.server.plan.label, Spread.new(side.cpu_ms).to_s(digits: 2), Spread.new(map.workers.map(&:private_mib)).to_s,
       Spread.new(map.workers.map(&:shared_percent)).to_s, Spread.new([map.total_mib]).to_s, measured(side.server)]
    end

    def measured(server)
      server.log[/msg="measured what requests allocate" (.*)$/, 1] || "Ruby's own"
    end
  end
end
