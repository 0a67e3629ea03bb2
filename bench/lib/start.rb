# frozen_string_literal: true

require_relative "benchmark"
require_relative "memory_map"
require_relative "rounds"

module Bench
  # What does a server take before it does anything? The time from its start to the first answer, by the clock and of
  # all processors, and its memory once it is at rest.
  class Start < Benchmark
    Round = Struct.new(:ms, :cpu_ms, :mib)

    # Coppice as without a configuration file, which fits the collector while it serves.
    #: () -> Array[Plan]
    def plans
      @plans ||= @options.servers.map do |name|
        common = @options.plan_for(name)
        settings = ["gc_profile :fitted", *common[:settings]] if name.start_with?("coppice")
        Servers.plan(name, **common, **(@app&.plan || {}), workers: @options.workers || 4, settings: settings)
      end
    end

    #: (Report) -> void
    def call(report)
      rounds = Rounds.new(plans, @options.rounds) { |server| measure(server) }
      report.text "#{@app&.description || "An application of one line."} #{plans.first.workers} workers. From the " \
                  "start of `bundle exec` to the first answer, and total PSS at rest afterwards; " \
                  "#{@options.rounds} rounds in turn: median (lowest–highest)."
      head = ["server", "first answer, ms", "CPU until then, ms", "total PSS, MiB"]
      rounds.write_table(report, head) do |label, found|
        [label, *Round.members.map { |member| Spread.new(found.map(&member)).to_s }]
      end
    end

    private

    def measure(server)
      cpu = server.tree.cpu
      MemoryMap.wait_until_quiet(server)
      Round.new(server.boot_seconds * 1000, cpu.seconds * 1000, MemoryMap.total_mib(server.tree))
    end
  end
end
