# frozen_string_literal: true

module Bench
  # How long is a slot empty? A worker is killed (-9) under load; the clock stops when a process that has never answered
  # before gives its first answer. Then the same with the mold killed first, where a server has one.
  class Recovery
    PATIENCE = 15 # seconds until we say that nobody came
    PAUSE = 0.5 # between two kills, so that each finds a whole server
    NOBODY = :nobody

    Round = Struct.new(:worker, :mold, :errors, keyword_init: true)

    #: (Options) -> void
    def initialize(options)
      @options = options
    end

    #: () -> Array[Plan]
    def plans
      @plans ||= @options.servers.map { |name| Servers.plan(name, **@options.plan, workers: @options.workers || 2, app: "pid.ru") }
    end

    #: (Report) -> void
    def call(report)
      rounds = plans.to_h { |plan| [plan, []] }
      @options.rounds.times { plans.each { |plan| rounds[plan] << measure(plan) } }

      report.text "#{plans.first.workers} workers, #{clients} clients; per round #{kills} workers are killed, one after the " \
                  "other, then the mold and at once a worker; #{@options.rounds} rounds in turn. Median (lowest–highest) of all kills."
      report.table ["server", "ms until the new worker answers", "ms with the mold killed too", "failed requests per kill"],
        plans.map { |plan| row(plan, rounds[plan]) }
    end

    private

    def clients = @options.clients || 4
    def kills = @options.kills || 5

    def measure(plan)
      RunningServer.run(plan) do |server|
        worker_times, errors = under_load(server) { |load| Array.new(kills) { kill_worker(server, load) } }
        mold = server.tree.find(&:mold?)
        mold_time, = under_load(server) { |load| kill_worker(server, load, first: mold) } if mold
        Round.new(worker: worker_times, mold: mold_time, errors: errors)
      end
    end

    # What the block measures while clients ask, and how many of their requests have failed meanwhile.
    def under_load(server)
      seconds = (kills + 2) * (PATIENCE + PAUSE)
      load = Load.new(server.port, clients: clients, seconds: seconds, path: "/?wait=5", bodies: true).start
      server.plan.workers.times { load.next_new_body(within: PATIENCE) } # everybody has answered once
      [yield(load), load.stop.finish.error_count]
    end

    # Seconds until somebody new has answered, or NOBODY.
    def kill_worker(server, load, first: nil)
      sleep PAUSE
      worker = server.tree.select(&:worker?).last or return NOBODY
      killed_at = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      [first, worker].compact.each { |victim| ProcessTree.signal(:KILL, victim.pid) }
      answered_at, = load.next_new_body(within: PATIENCE)
      answered_at ? answered_at - killed_at : NOBODY
    end

    def row(plan, rounds)
      [plan.label, milliseconds(rounds.flat_map(&:worker)), milliseconds(rounds.map(&:mold).compact),
       Kernel.format("%.1f", rounds.sum(&:errors).fdiv(rounds.size * kills))]
    end

    def milliseconds(times)
      found = times.grep(Float)
      nobody = times.size - found.size
      missing = "nobody within #{PATIENCE} s (#{nobody} of #{times.size})"
      return missing if nobody.positive? && found.empty?

      [Spread.new(found.map { |time| time * 1000 }), *(missing if nobody.positive?)].join(", ")
    end
  end
end
