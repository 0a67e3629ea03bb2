# frozen_string_literal: true

require_relative "http_app"
require_relative "http_table"

module Bench
  # What does a request cost? Each application on each server, with a connection for each request, and kept alive where
  # a server does that. The figure to judge by is the CPU time that all processes of the server spend on a request: it
  # hardly depends on what else the machine does, where requests per second and percentiles do. Rounds go in turn
  # (A B C, A B C), so that a change in the machine's mood meets every server.
  class Http
    WARM_UP_SECONDS = 1
    MODES = { false => "one connection per request", true => "kept alive" }.freeze

    #: (Options) -> void
    def initialize(options)
      @options = options
    end

    # What can run here.
    #: () -> Array[Plan]
    def plans = apps.flat_map { |app| servers_for(app).reject(&:missing).map { |server| plan(server, app) } }

    #: (Report) -> void
    def call(report)
      Samples.write
      report.text "#{workers} workers, #{clients} clients in a closed loop, #{@options.rounds} rounds of #{@options.seconds} s in turn: " \
                  "median (lowest–highest). Ratios are taken within a round; the best peer is the one with the best median."
      apps.each { |app| compare(app, report) }
    end

    private

    def workers = @options.workers || 2
    def clients = @options.clients || 8
    def apps = HttpApps::TABLE.select { |app| @options.apps.include?(app.name) }

    # The floor knows one answer.
    def servers_for(app)
      names = app.name == "hello" ? @options.servers : @options.servers - [Servers::FLOOR]
      names.map { |name| Servers.named(name) }
    end

    def plan(server, app) = Servers.plan(server.name, **@options.plan_for(server.name), workers: workers, app: app.rackup)

    def compare(app, report)
      tables = MODES.transform_values { HttpTable.new(servers_for(app)) }
      @options.rounds.times do |round|
        warn "bench: #{app.name}, round #{round + 1} of #{@options.rounds}"
        servers_for(app).reject(&:missing).each { |server| measure(server, app, round, tables) }
      end
      tables.each do |keep_alive, table|
        report.section "#{app.name}: #{app.description}; #{MODES[keep_alive]}"
        report.table table.head, table.rows
        report.text table.remarks
      end
    end

    # One fresh server in each mode. One that does not start has no figures, and costs the others none.
    def measure(server, app, round, tables)
      RunningServer.run(plan(server, app)) do |running|
        tables.each do |keep_alive, table|
          load = { clients: clients, keep_alive: keep_alive, **app.load }
          warm_up = Load.run(running.port, **load, seconds: [WARM_UP_SECONDS, @options.seconds].min)
          reason = why_not(warm_up, keep_alive)
          reason ? table.explain(server, reason) : table.add(server, round, under_load(running, load))
        end
      end
    rescue Failure => error
      tables.each_value { |table| table.explain(server, "did not start") }
      warn "bench: #{app.name}: #{error.message}"
    end

    # Why it makes no sense to measure; nil where it does.
    def why_not(warm_up, keep_alive)
      return LoadResult.errors_of([warm_up]) if warm_up.answered.zero?

      "closes each connection" if keep_alive && !warm_up.kept_alive?
    end

    def under_load(running, load)
      before = running.tree.cpu
      result = Load.run(running.port, **load, seconds: @options.seconds)
      cpu = running.tree.cpu - before
      HttpResult.new(cpu_us: cpu.seconds * 1e6 / [result.answered, 1].max, load: result)
    end
  end
end
