# frozen_string_literal: true

require_relative "benchmark"
require_relative "rounds"

module Bench
  # How long is a slot empty? A worker is killed (-9) under load. The clock stops at the first response of a process
  # that has not answered before. Then the same with the mold killed first, if the server has one.
  class Recovery < Benchmark
    TIMEOUT = 15 # seconds until a worker counts as not replaced
    PAUSE = 0.5 # seconds between two kills, so that all workers are back before the next one
    NOT_REPLACED = :not_replaced

    Round = Struct.new(:worker, :mold, :errors, keyword_init: true)

    #: () -> Array[Plan]
    def plans = @plans ||= @options.servers.map { |name| plan(name) }

    #: (Report) -> void
    def call(report)
      rounds = Rounds.new(plans, @options.rounds) { |server| measure(server) }
      report.text "#{plans.first.workers} workers, #{clients} clients. Each round kills #{kills} workers, one after " \
                  "the other, then the mold and a worker together; #{@options.rounds} rounds in turn. Median " \
                  "(lowest–highest) of all kills."
      head = ["server", "ms until the new worker answers", "ms with the mold killed as well",
              "failed requests per kill"]
      rounds.write_table(report, head) { |label, found| row(label, found) }
    end

    private

    def clients = @options.clients || 4
    def kills = @options.kills || 5
    def plan(name) = Servers.plan(name, **@options.plan, workers: @options.workers || 2, app: "pid.ru")

    def measure(server)
      worker_times, errors = under_load(server) { |load| Array.new(kills) { kill_worker(server, load) } }
      mold = server.tree.find(&:mold?)
      mold_time, = under_load(server) { |load| kill_worker(server, load, first: mold) } if mold
      Round.new(worker: worker_times, mold: mold_time, errors: errors)
    end

    # What the block measures under load, and the number of requests that failed meanwhile.
    def under_load(server)
      seconds = (kills + 2) * (TIMEOUT + PAUSE)
      load = Load.new(server.port, clients: clients, seconds: seconds, path: "/?wait=5", bodies: true).start
      server.plan.workers.times { load.next_new_body(within: TIMEOUT) } # until each worker has answered once
      [yield(load), load.stop.finish.error_count]
    end

    # Seconds until a new process has answered, or NOT_REPLACED.
    def kill_worker(server, load, first: nil)
      sleep PAUSE
      worker = server.tree.select(&:worker?).last or return NOT_REPLACED
      killed_at = Bench.now
      [first, worker].compact.each { |victim| ProcessTree.signal(:KILL, victim.pid) }
      answered_at, = load.next_new_body(within: TIMEOUT)
      answered_at ? answered_at - killed_at : NOT_REPLACED
    end

    def row(label, rounds)
      [label, milliseconds(rounds.flat_map(&:worker)), milliseconds(rounds.map(&:mold).compact),
       Kernel.format("%.1f", rounds.sum(&:errors).fdiv(rounds.size * kills))]
    end

    def milliseconds(times)
      found = times.grep(Float)
      lost = times.size - found.size
      missing = "not replaced within #{TIMEOUT} s (#{lost} of #{times.size})"
      return missing if lost.positive? && found.empty?

      [Spread.new(found.map { |time| time * 1000 }), *(missing if lost.positive?)].join(", ")
    end
  end
end
