# frozen_string_literal: true

require "shellwords"
require_relative "command_line"
require_relative "library"
require_relative "process_tree"
require_relative "running_server"
require_relative "load"
require_relative "spread"
require_relative "report"
require_relative "http"
require_relative "memory"
require_relative "mold"
require_relative "first"
require_relative "recovery"
require_relative "counting"
require_relative "fairness"
require_relative "guests"
require_relative "idle"
require_relative "jobs"
require_relative "large"
require_relative "mixed"
require_relative "observation"
require_relative "pages"
require_relative "refork"
require_relative "roll"
require_relative "slots"
require_relative "spike"
require_relative "collector"
require_relative "deploy"
require_relative "start"
require_relative "workers"

module Bench
  # bin/bench: parses the command line, prepares gems and programs, runs one benchmark, prints and saves its report.
  class CLI
    ROWS = File.join(Setup::FOLDER, "slots.jsonl").freeze
    BENCHMARKS = {
      "http" => [Http, "CPU per request", { seconds: 3, rounds: 5, servers: Servers::NAMES, apps: HttpApps::NAMES }],
      "start" => [Start, "What a server takes before it does anything", { rounds: 10, servers: Servers::DEFAULT }],
      "memory" => [Memory, "Memory of a warm server", { rounds: 1, servers: Servers::DEFAULT, app: "constants" }],
      "first" => [First, "The first request of a worker", { rounds: 3, servers: Servers::DEFAULT, app: "constants" }],
      "collector" => [Collector, "The garbage collector's profile", { rounds: 12, servers: ["coppice"], app: "shop" }],
      "refork" => [Refork, "Effects of a refork on clients",
                   { seconds: 5, rounds: 3, requests: 1000, servers: Refork::VARIANTS.keys, app: "constants" }],
      "mold" => [Mold, "A mold that stays, and one that exits", { rounds: 1, app: "shop" }],
      "pages" => [Pages, "What writes to a worker's pages first", { rounds: 1, servers: ["coppice"], app: "shop" }],
      "recovery" => [Recovery, "Time from a killed worker to its replacement",
                     { rounds: 3, servers: Servers::DEFAULT }],
      "roll" => [Roll, "New code in a running server", { rounds: 3, servers: %w[coppice puma unicorn], app: "shop" }],
      "deploy" => [Deploy, "A new server beside the old one", { rounds: 5, requests: 1000, app: "shop" }],
      "fairness" => [Fairness, "Which workers serve under low load",
                     { seconds: 10, rounds: 1, servers: Servers::DEFAULT }],
      "counting" => [Counting, "The cost of counting a request", { rounds: 100 }],
      "observer" => [Observation, "The cost of the observer", { seconds: 5, rounds: 3 }],
      "guests" => [Guests, "Programs in forks of the warm application", { rounds: 1, app: "shop" }],
      "workers" => [Workers, "The cost of many workers", { rounds: 1 }],
      "slots" => [Slots, "Memory and waiting with equal slots",
                  { seconds: 20.0, rounds: 3, requests: 9000, servers: %w[puma coppice], app: "shop", slots: 16,
                    rows: ROWS }],
      "mixed" => [Mixed, "Quick requests among others that wait",
                  { seconds: 60.0, rounds: 3, servers: %w[puma puma-single puma-io coppice], slots: 16, rows: ROWS }],
      "spike" => [Spike, "What clients notice of a rush, an eager client, and what hangs",
                  { seconds: 60.0, rounds: 3, servers: %w[puma puma-io pitchfork unicorn coppice], slots: 4,
                    rows: ROWS }],
      "large" => [Large, "An application of 1 GB",
                  { seconds: 1200.0, rounds: 1, servers: %w[puma coppice], slots: 16, rows: ROWS }],
      "jobs" => [Jobs, "Memory with Solid Queue", { rounds: 1, requests: 1500, servers: %w[coppice puma] }],
      "idle" => [Idle, "Memory of idle connections", { rounds: 3, servers: ["coppice", "puma", Servers::FLOOR] }]
    }.freeze

    #: (Array[String]) -> void
    def initialize(arguments)
      @arguments = arguments.dup.freeze
      @command_line = CommandLine.new(banner: "Usage: bin/bench #{BENCHMARKS.keys.join("|")} [options]")
    end

    #: () -> Integer exit status
    def run
      name, = rest = @command_line.parse(@arguments)
      return usage unless rest.size == 1 && BENCHMARKS.key?(name)

      measure(name)
      0
    rescue OptionParser::ParseError => error
      warn "bench: #{error.message}"
      2
    rescue Failure => error
      warn "bench: #{error.message}"
      1
    end

    private

    def measure(name)
      benchmark_class, title, defaults = BENCHMARKS.fetch(name)
      options = Options.new(**defaults, **@command_line.chosen)
      benchmark = benchmark_class.new(options)
      Setup.prepare(benchmark.plans)
      Library.load(options.checkout)
      ProcessTree.adopt_orphans
      report_name = [name, *(LazyApps.of(options).name if options.app), *options.slots].join("-")
      command = "bin/bench #{@arguments.shelljoin}"
      report = Report.new(title, name: report_name, plans: benchmark.plans, command: command)
      benchmark.call(report)
      puts report
      warn "bench: written to #{report.write}" if options.save
    ensure
      ProcessTree.end_descendants
    end

    def usage
      puts @command_line.help
      2
    end
  end
end
