# frozen_string_literal: true

module Bench
  # Who serves when there is less work than workers? A few clients ask for something slow. Workers that are never
  # asked stay cold and are never the warmest; workers that are always asked leave their caches to nobody.
  class Fairness
    # What Coppice's file says to have it one way or the other.
    ORDERS = %w[kernel fair].to_h { |order| ["coppice, #{order}", "accept_order :#{order}"] }.freeze

    #: (Options) -> void
    def initialize(options)
      @options = options
    end

    #: () -> Array[Plan]
    def plans
      @plans ||= @options.servers.flat_map { |name| name == "coppice" ? orders(plan(name)) : [plan(name)] }
    end

    #: (Report) -> void
    def call(report)
      rows = Array.new(@options.rounds) { plans.map { |plan| [plan.label, *measure(plan)] } }.flatten(1)
      report.text "#{plans.first.workers} workers, #{clients} clients, an answer that takes 100 ms, #{@options.seconds} s, " \
                  "#{@options.rounds} rounds in turn, each with a line of its own."
      report.table ["server", "requests per worker, most first", "errors"], rows.sort_by.with_index { |row, i| [order(row.first), i] }
    end

    private

    def clients = @options.clients || 2

    def plan(name) = Servers.plan(name, **@options.plan_for(name), workers: @options.workers || 8, app: "pid.ru")

    def orders(plan)
      ORDERS.map { |label, line| plan.dup.tap { |copy| copy.label = label; copy.settings = [*plan.settings, line] } }
    end

    def order(label) = plans.index { |plan| plan.label == label }

    def measure(plan)
      RunningServer.run(plan) do |server|
        result = Load.run(server.port, clients: clients, seconds: @options.seconds, path: "/?wait=100", bodies: true)
        idle = [plan.workers - result.bodies.size, 0].max
        [(result.bodies.values.sort.reverse + ([0] * idle)).join(", "), LoadResult.errors_of([result])]
      end
    end
  end
end
