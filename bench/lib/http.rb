# frozen_string_literal: true

require_relative "benchmark"
require_relative "http_app"
require_relative "http_table"

module Bench
  # How much CPU time does a request cost? Each application runs on each server, with a connection for each request, and
  # with keep-alive if the server supports it. The figure to compare is the CPU time of all processes of the server per
  # request. It hardly depends on other load on the machine, unlike requests per second and percentiles. Rounds take
  # turns (A B C, A B C), so that a change in the other load affects every server.
  class Http < Benchmark
    WARM_UP_SECONDS = 1
    MODES = { false => "one connection per request", true => "kept alive" }.freeze

    # The plans that can run on this machine.
    #: () -> Array[Plan]
    def plans = apps.flat_map { |app| servers_for(app).reject(&:missing).map { |server| plan(server, app) } }

    #: (Report) -> void
    def call(report)
      Samples.write
      report.text "#{workers} workers, #{client_counts.join(", ")} clients in a closed loop, #{@options.rounds} " \
                  "rounds of #{@options.seconds} s in turn: median (lowest–highest). Ratios are taken in a round. " \
                  "The best peer is the one with the best median."
      apps.each { |app| compare(app, report) }
    end

    private

    def workers = @options.workers || 2
    def client_counts = @options.client_counts || [@options.clients || 8]
    def loads = client_counts.product(MODES.keys).map { |count, kept| { clients: count, keep_alive: kept } }
    def apps = HttpApps::TABLE.select { |app| @options.apps.include?(app.name) }

    # The lower bound has only one response.
    def servers_for(app)
      names = app.name == "hello" ? @options.servers : @options.servers - [Servers::FLOOR]
      names.map { |name| Servers.named(name) }
    end

    def plan(server, app)
      Servers.plan(server.name, **@options.plan_for(server.name), workers: workers, app: app.rackup)
    end

    def compare(app, report)
      tables = loads.to_h { |load| [load, HttpTable.new(servers_for(app))] }
      @options.rounds.times do |round|
        warn "bench: #{app.name}, round #{round + 1} of #{@options.rounds}"
        servers_for(app).reject(&:missing).each { |server| measure(server, app, round, tables) }
      end
      tables.each do |load, table|
        report.section "#{app.name}: #{app.description}; #{MODES[load[:keep_alive]]}, #{load[:clients]} clients"
        report.table table.head, table.rows
        report.text table.remarks
      end
    end

    # One fresh server for all loads. A server that does not start has no figures, and the others still run.
    def measure(server, app, round, tables)
      RunningServer.run(plan(server, app)) do |running|
        tables.each do |load, table|
          warm_up = Load.run(running.port, **load, **app.load, seconds: [WARM_UP_SECONDS, @options.seconds].min)
          reason = why_not(warm_up, load[:keep_alive])
          reason ? table.explain(server, reason) : table.add(server, round, under_load(running, **load, **app.load))
        end
      end
    rescue Failure => error
      tables.each_value { |table| table.explain(server, "did not start") }
      warn "bench: #{app.name}: #{error.message}"
    end

    # Why the server cannot be measured; nil if it can.
    def why_not(warm_up, keep_alive)
      return LoadResult.errors_of([warm_up]) if warm_up.answered.zero?

      "closes each connection" if keep_alive && !warm_up.kept_alive?
    end

    def under_load(running, **load)
      before = running.tree
      result = Load.run(running.port, **load, seconds: @options.seconds)
      after = running.tree
      per_request = 1e6 / [result.answered, 1].max
      lobby_us = (after.lobby_cpu - before.lobby_cpu).seconds * per_request if after.any?(&:lobby?)
      HttpResult.new(cpu_us: (after.cpu - before.cpu).seconds * per_request, lobby_us: lobby_us, load: result)
    end
  end
end
