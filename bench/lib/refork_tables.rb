# frozen_string_literal: true

module Bench
  # The servers side by side: the effects of a refork on clients, and its cost.
  class ReforkTables
    REQUESTS_HEAD = ["server", "s until all workers are new", "fewest workers ready", "seconds with one worker missing",
                     "req/s, baseline", "while reforking", "ratio", "errors"].freeze
    LATENCIES = %w[p50 p99 longest].flat_map { |name| ["#{name}, baseline", "while reforking", "ratio"] }.freeze
    LATENCY_HEAD = ["server", *LATENCIES].freeze
    COST_HEAD = ["server", "CPU s beyond the responses' own", "kernel's part of CPU %, baseline", "while reforking",
                 "new mold: ms until ready", "its CPU ms", "kernel's part %", "part of all CPU %", "PSS MiB before",
                 "peak PSS MiB"].freeze

    #: (Hash[String, Array[ReforkRound]]) -> void
    def initialize(rounds)
      @rounds = rounds # label => rounds
    end

    #: (Report) -> void
    def write(report)
      report.section "Requests, from the signal until a second after the last worker was replaced"
      report.table REQUESTS_HEAD, rows { |rounds| requests(rounds) }
      report.section "Latency of these requests, in ms"
      report.table LATENCY_HEAD, rows { |rounds| latencies(rounds) }
      report.section "Cost of a refork"
      report.table COST_HEAD, rows { |rounds| cost(rounds) }
      report.text "CPU time and requests count from the signal until a second after the last worker was replaced. A " \
                  "new mold is ready when it can fork. Until then it runs the user's hook and the heap preparation; " \
                  "the rest of the time it waits for a processor. The processes were checked every " \
                  "#{(ReforkWatch::INTERVAL * 1000).round} ms. PSS is the sum of all processes, in a second refork " \
                  "of the same server."
    end

    private

    def rows
      @rounds.map { |label, rounds| [label, *yield(rounds)] }
    end

    def requests(rounds)
      [spread(rounds, digits: 2) { |round| round.watch.seconds }, spread(rounds) { |round| round.watch.fewest_ready },
       spread(rounds, digits: 2) { |round| round.watch.missing_seconds },
       *compared(rounds, digits: 0, &:requests_per_second),
       LoadResult.errors_of(rounds.map { |round| round.refork.load })]
    end

    def latencies(rounds)
      [:p50_us, :p99_us, :max_us].flat_map { |name| compared(rounds, digits: 1) { |load| load[name] / 1e3 } }
    end

    def cost(rounds)
      [spread(rounds, digits: 2, &:extra_cpu_seconds), spread(rounds) { |round| round.steady.cpu.kernel_percent },
       spread(rounds) { |round| round.refork.cpu.kernel_percent }, *mold_start(rounds),
       spread(rounds, &:mib_before), spread(rounds, &:mib_peak)]
    end

    def mold_start(rounds)
      seen = rounds.select { |round| round.watch.mold_start }
      [spread(seen) { |round| round.watch.mold_start.seconds * 1e3 },
       spread(seen) { |round| round.watch.mold_start.cpu.seconds * 1e3 },
       spread(seen) { |round| round.watch.mold_start.cpu.kernel_percent },
       spread(seen) { |round| round.watch.mold_start.cpu.percent_of(round.refork.cpu) }]
    end

    # The baseline, the value while reforking, and the ratio of the two.
    def compared(rounds, digits:)
      pairs = rounds.map { |round| [yield(round.steady.load), yield(round.refork.load)] }
      [Spread.new(pairs.map(&:first)).to_s(digits: digits), Spread.new(pairs.map(&:last)).to_s(digits: digits),
       Spread.new(pairs.map { |steady, refork| refork.fdiv(steady) if steady.positive? }).to_s(digits: 2)]
    end

    def spread(rounds, digits: 0, &figure) = Spread.new(rounds.map(&figure)).to_s(digits: digits)
  end
end
