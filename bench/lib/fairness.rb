# frozen_string_literal: true

require_relative "benchmark"

module Bench
  # Which workers serve when there is less work than workers? A few clients send slow requests. Workers that never serve
  # stay cold.
  class Fairness < Benchmark
    # The settings of Coppice for each order.
    ORDERS = %w[kernel fair].to_h { |order| ["coppice, #{order}", "accept_order :#{order}"] }.freeze

    #: () -> Array[Plan]
    def plans
      @plans ||= @options.servers.flat_map { |name| name == "coppice" ? orders(plan(name)) : [plan(name)] }
    end

    #: (Report) -> void
    def call(report)
      rows = Array.new(@options.rounds) { plans.map { |plan| [plan.label, *measure(plan)] } }.flatten(1)
      report.text "#{plans.first.workers} workers, #{clients} clients, a response that takes 100 ms, " \
                  "#{@options.seconds} s, #{@options.rounds} rounds in turn, each with a line of its own."
      report.table ["server", "requests per worker, highest first", "errors"],
        rows.sort_by.with_index { |row, i| [order(row.first), i] }
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
