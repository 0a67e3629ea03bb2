# frozen_string_literal: true

require_relative "equal_slots"
require_relative "kernel_memory"

module Bench
  # What becomes of the memory of an application of 1 GB a process whose heap ages? An open loop at one rate for all
  # servers, in parts of five minutes. One server after the other: rows are kept, so each may be a command of its own,
  # and one that was measured for longer is compared by its first parts.
  class Large < EqualSlots
    PART_SECONDS = 300
    RATE = 40 # requests per second
    CLIENTS = 200 # connections of the open loop, at most
    TIMEOUT = 60 # seconds that a client waits
    INTERVAL = 5 # seconds between two looks at the memory: to add it up takes the kernel long
    PATH = "/page/{n}"
    REFORK_AFTER = [50, 100, 500].freeze # of Pitchfork

    #: (Options) -> void
    def initialize(options)
      super(options, refork_after: REFORK_AFTER, app: "large.ru")
    end

    private

    def measure(server, round)
      MemoryMap.wait_until_quiet(server)
      kernel = {}
      phases = names.each_with_index.to_h do |name, part|
        phase = SlotPhase.measure(server, interval: INTERVAL) { { "all" => load(server, (round * names.size) + part) } }
        kernel[name] = [KernelMemory.page_tables_mib(server.tree), KernelMemory.anon_vma_mib]
        [name, phase]
      end
      { "boot_seconds" => server.boot_seconds, "phases" => phases, "kernel" => kernel }
    end

    def load(server, seed)
      Load.run(server.port, path: PATH, modulus: 100, rate: RATE, seed: seed, seconds: part_seconds,
        clients: CLIENTS, timeout: TIMEOUT)
    end

    def names
      Array.new((seconds / part_seconds).floor) { |part| "#{minutes(part)}–#{minutes(part + 1)} min" }
    end

    def part_seconds = [seconds, PART_SECONDS].min
    def minutes(part) = (part_seconds / 60.0 * part).round(2)
    def facts = { **super, "seconds" => part_seconds }

    def introduction
      "An application whose processes have up to 1 GB each and age (`bench/apps/large.ru`). #{slots} slots, " \
        "#{RATE} requests a second at random instants, for #{minutes(names.size)} minutes. Page tables are those of " \
        "the server's processes, anon_vma those of the whole machine; both are in no PSS."
    end

    def boot = SlotFigure.new("boot to the first answer, s", 1, true, ->(row) { row["boot_seconds"] })

    def figures = [boot, *names.flat_map { |name| figures_of(name) }]

    def figures_of(name)
      figure = lambda do |title, digits, &value|
        SlotFigure.new("#{name}: #{title}", digits, true,
          ->(row) { row.phase(name)&.then { |phase| value.call(phase, *row["kernel"].fetch(name)) } })
      end
      [figure.call("total PSS, mean, MiB", 0) { |phase| phase.mean_mib },
       figure.call("total PSS, peak, MiB", 0) { |phase| phase.peak_mib },
       figure.call("page tables, MiB", 0) { |_, page_tables, _| page_tables },
       figure.call("anon_vma, MiB", 1) { |_, _, anon_vma| anon_vma },
       figure.call("workers, mean", 1) { |phase| phase.workers[1] },
       figure.call("CPU ms per request", 1) { |phase| phase.cpu_ms_per_request },
       figure.call("p50, ms", 1) { |phase| phase.milliseconds("all", :p50_us) },
       figure.call("p99, ms", 1) { |phase| phase.milliseconds("all", :p99_us) }]
    end
  end
end
