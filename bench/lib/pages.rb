# frozen_string_literal: true

require_relative "benchmark"
require_relative "memory_map"
require_relative "page_faults"
require_relative "page_writers"
require_relative "refork_watch"
require_relative "rounds"

module Bench
  # Which memory does a worker copy from its mold, and what writes to it? One worker serves until it is warm, and is
  # promoted. Then it is killed, and perf records the page faults of the worker that the mold forks in its place.
  class Pages < Benchmark
    WARM = 420 # requests
    POINTS = [5, 100, 500].freeze
    TIMEOUT = 30 # seconds
    ANONYMOUS = %i[gc_heap malloc other jit].freeze # kinds that a fork shares
    NO_REFORK = 1_000_000
    MIB = 1024.0 * 1024

    #: () -> Array[Plan]
    def plans
      @plans ||= [Servers.plan("coppice", **@app.plan, **@options.plan_for("coppice"), workers: 1,
        refork: [NO_REFORK, false])]
    end

    #: (Report) -> void
    def call(report)
      RunningServer.run(plans.first) do |server|
        request(server, @options.requests || WARM)
        ReforkWatch.new(server).run
        faults = PageFaults.during(only_mold(server)) { watch(server) }
        report.text "#{@app.description} One worker, promoted after #{@options.requests || WARM} requests; the next " \
                    "worker of the new mold. MiB of pages by what wrote to them first, up to the given number of " \
                    "requests, and by kind of memory at the end."
        write(report, faults.of(@worker))
      end
    end

    private

    def points = @options.points || POINTS

    # The old mold may still exit, and a process that the mold forks has its title for a moment.
    def only_mold(server)
      server.wait_until("one mold", timeout: TIMEOUT) do
        molds = server.tree.select(&:mold?)
        molds.first.pid if molds.one?
      end
    end

    def watch(server)
      old = process(server, &:worker?)
      ProcessTree.signal(:KILL, old)
      server.wait_until("a new worker", timeout: TIMEOUT) { (@worker = process(server, &:worker?)) && @worker != old }
      @moments = { "ready" => look }
      [0, *points].each_cons(2) do |before, after|
        request(server, after - before)
        @moments[after.to_s] = look
      end
      @mappings = Coppice::Memory::MappingKinds.new(Coppice::Memory::Smaps.of(@worker)).to_h
    end

    # The time, and the private MiB as the kernel counts them.
    def look
      [Bench.now, Coppice::Memory::Rollup.of(@worker).private / 1024.0]
    end

    def write(report, faults)
      found = faults.map { |fault| [PageWriters.of(fault.functions), fault.at, kind(fault.page)] }.select(&:last)
      rows = found.group_by(&:first).sort_by { |_, of_writer| -of_writer.size }.map { |name, list| row(name, list) }
      measured = @moments.values.map { |_, private_mib| format("%.1f", private_mib) }
      kinds = Coppice::Memory::MappingKinds::NAMES.values_at(*ANONYMOUS)
      report.table ["written first by", *@moments.keys, *kinds],
        [*rows, row("**sum**", found), ["private memory, with files and stacks", *measured, *ANONYMOUS.map { "" }]]
    end

    def row(name, found)
      [name, *@moments.values.map { |moment, _| mib(found.count { |_, at, _| at <= moment }) },
       *ANONYMOUS.map { |kind| mib(found.count { |fault| fault.last == kind }) }]
    end

    def kind(page)
      address = page * PageFaults::PAGE_BYTES
      ANONYMOUS.find { |kind| @mappings[kind].any? { |mapping| (mapping.start...mapping.finish).cover?(address) } }
    end

    def mib(pages) = format("%.2f", pages * PageFaults::PAGE_BYTES / MIB)

    def request(server, count) = Load.run(server.port, **@app.load, clients: 1, requests: count, seconds: 300)

    def process(server, &role) = server.tree.find { |entry| role.call(entry) && entry.ready? }&.pid
  end
end
