# frozen_string_literal: true

require_relative "benchmark"
require_relative "memory_map"
require_relative "refork_watch"
require_relative "rounds"

module Bench
  # What is an idle mold worth? Memory of a server and time to replace a killed worker, with a mold that stays, with one
  # that exits when it has nothing to fork, and with one that is killed from time to time, so that a fresh copy of the
  # warmest worker takes its place. Nothing reforks by itself, so that the requests since the last refork are the same.
  class Mold < Benchmark
    VARIANTS = ["keep_mold true", "keep_mold false", "keep_mold true # renewed"].freeze
    RENEWALS = 5 # of a mold, in equal parts of the requests
    TIMEOUT = 30 # seconds until a process is there, or gone
    INTERVAL = 0.002 # seconds between two looks at the processes

    Round = Struct.new(:before, :after, :mold_mib, :seconds, keyword_init: true)

    #: () -> Array[Plan]
    def plans
      @plans ||= VARIANTS.map do |setting|
        common = @options.plan_for("coppice")
        Servers.plan("coppice", **@app.plan, **common, label: setting.delete("#"), workers: @options.workers || 4,
          settings: [*common[:settings], setting])
      end
    end

    #: (Report) -> void
    def call(report)
      rounds = Rounds.new(plans, @options.rounds) { |server| round(server) }
      report.text "#{@app.description} #{plans.first.workers} workers. A refork after #{warm} requests, then " \
                  "#{requests} more of 2 clients; then #{kills} workers are killed, one after the other, while " \
                  "nobody requests anything. Rounds, in turn: #{@options.rounds}."
      head = ["server", "total PSS MiB", "of the mold, private MiB", "total PSS MiB after the kills",
              "ms until a killed worker is replaced"]
      rounds.write_table(report, head) { |label, of_plan| row(label, of_plan) }
    end

    private

    def warm = 400
    def requests = @options.requests || 3000
    def kills = @options.kills || 5

    def round(server)
      serve(server, warm)
      ReforkWatch.new(server).run
      serve_and_renew(server)
      rest(server)
      before = MemoryMap.of(server.tree)
      seconds = Array.new(kills) { replace_worker(server) }
      rest(server)
      mold = before.sizes.find { |size| size.entry.mold? }
      Round.new(before: before.total_mib, after: MemoryMap.of(server.tree).total_mib,
        mold_mib: mold&.private_mib || 0.0, seconds: seconds)
    end

    def serve(server, count) = Load.run(server.port, **@app.load, clients: 2, requests: count, seconds: 600)

    def serve_and_renew(server)
      return serve(server, requests) unless server.plan.settings.last.end_with?("renewed")

      RENEWALS.times do
        serve(server, requests / RENEWALS)
        mold = server.tree.find(&:mold?)
        ProcessTree.signal(:KILL, mold.pid)
        wait(server, "a new mold") { |tree| tree.any? { |entry| entry.mold? && entry.ready? && entry.pid != mold.pid } }
      end
    end

    # Until the mold has exited, if it is to.
    def rest(server)
      MemoryMap.wait_until_quiet(server)
      wait(server, "no mold") { |tree| tree.none?(&:mold?) } if server.plan.settings.include?("keep_mold false")
    end

    def replace_worker(server)
      rest(server)
      worker = server.tree.select(&:worker?).last
      killed_at = Bench.now
      ProcessTree.signal(:KILL, worker.pid)
      wait(server, "a successor of the killed worker") do |tree|
        tree.count { |entry| successor?(entry, worker) } == server.plan.workers
      end
      Bench.now - killed_at
    end

    def successor?(entry, worker) = entry.worker? && entry.ready? && entry.pid != worker.pid

    def wait(server, what)
      unrelated = server.tree.unrelated_pids
      server.wait_until(what, timeout: TIMEOUT, interval: INTERVAL) { yield server.tree(unrelated: unrelated) }
    end

    def row(label, rounds)
      figures = %i[before mold_mib after].map { |name| Spread.new(rounds.map(&name)) }
      [label, *figures, Spread.new(rounds.flat_map(&:seconds).map { |seconds| seconds * 1000 })]
    end
  end
end
