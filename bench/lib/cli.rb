# frozen_string_literal: true

require "optparse"
require_relative "setup"
require_relative "servers"
require_relative "process_tree"
require_relative "running_server"
require_relative "load"
require_relative "spread"
require_relative "report"
require_relative "http"
require_relative "memory"
require_relative "recovery"
require_relative "fairness"
require_relative "refork"

module Bench
  # What the user has asked for. nil: the benchmark knows best. `plan` holds what every Plan gets.
  Options = Struct.new(:servers, :seconds, :rounds, :requests, :workers, :clients, :kills, :apps, :app, :plan, :save, keyword_init: true)

  # bin/bench: reads the command line, prepares, runs one benchmark, prints and keeps its report.
  class CLI
    BENCHMARKS = {
      "http" => [Http, "CPU per request", { seconds: 3, rounds: 5, servers: Servers::NAMES, apps: HttpApps::NAMES }],
      "memory" => [Memory, "Memory of a warm server", { rounds: 1, servers: Servers::DEFAULT, app: "constants" }],
      "refork" => [Refork, "What is noticed of a refork",
                   { seconds: 5, rounds: 3, requests: 1000, servers: Refork::VARIANTS.keys, app: "constants" }],
      "recovery" => [Recovery, "From the death of a worker to its replacement", { rounds: 3, servers: Servers::DEFAULT }],
      "fairness" => [Fairness, "Who serves when few ask", { seconds: 10, rounds: 1, servers: Servers::DEFAULT }]
    }.freeze

    POSITIVE = /\A[1-9]\d{0,6}\z/.freeze

    #: (Array[String]) -> void
    def initialize(arguments)
      @arguments = arguments.dup.freeze
      @plan = { environment: { "RUBY_YJIT_ENABLE" => "0" } }
      @options = { save: true }
    end

    #: () -> Integer exit status
    def run
      name, = rest = parser.parse(@arguments)
      return usage unless rest.size == 1 && BENCHMARKS.key?(name)

      benchmark_class, title, defaults = BENCHMARKS.fetch(name)
      options = Options.new(**defaults, **@options, plan: @plan)
      measure(benchmark_class.new(options), title, [name, *options.app].join("-"))
      0
    rescue OptionParser::ParseError => error
      warn "bench: #{error.message}"
      2
    rescue Failure => error
      warn "bench: #{error.message}"
      1
    end

    private

    def measure(benchmark, title, file)
      Setup.prepare(benchmark.plans)
      ProcessTree.adopt_orphans
      report = Report.new(title, plans: benchmark.plans, command: "bin/bench #{@arguments.join(" ")}")
      benchmark.call(report)
      puts report
      warn "bench: written to #{report.write(file)}" if @options[:save]
    ensure
      ProcessTree.end_descendants
    end

    def usage
      puts parser.help
      2
    end

    def parser
      @parser ||= OptionParser.new do |parser|
        parser.banner = "Usage: bin/bench #{BENCHMARKS.keys.join("|")} [options]"
        what_to_run(parser)
        how_long(parser)
      end
    end

    def what_to_run(parser)
      parser.on("--servers A,B", Array, "of #{Servers::NAMES.join(", ")}") { |names| @options[:servers] = known(names, Servers::NAMES) }
      parser.on("--apps A,B", Array, "http: of #{HttpApps::NAMES.join(", ")}") { |names| @options[:apps] = known(names, HttpApps::NAMES) }
      parser.on("--app NAME", %w[constants shop], "memory, refork: the application") { |name| @options[:app] = name }
      parser.on("--workers N", POSITIVE, "processes that serve") { |count| @options[:workers] = count.to_i }
      parser.on("--yjit", "servers run with RUBY_YJIT_ENABLE=1") { @plan[:environment] = { "RUBY_YJIT_ENABLE" => "1" } }
      parser.on("--coppice FOLDER", "another checkout of Coppice to measure") { |path| @plan[:checkout] = File.expand_path(path) }
      parser.on("--ruby PATH", "another Ruby for everything (else the first on the PATH)") { |path| switch_ruby(path) }
    end

    def how_long(parser)
      parser.on("--seconds N", Float, "length of one measurement") { |seconds| @options[:seconds] = seconds.clamp(0.1, 600) }
      parser.on("--rounds N", POSITIVE, "each server so often, in turn") { |count| @options[:rounds] = count.to_i }
      parser.on("--clients N", POSITIVE, "how many ask at once") { |count| @options[:clients] = count.to_i }
      parser.on("--requests N", POSITIVE, "memory, refork: requests until warm") { |count| @options[:requests] = count.to_i }
      parser.on("--kills N", POSITIVE, "recovery: workers to kill in a round") { |count| @options[:kills] = count.to_i }
      parser.on("--no-save", "print only, leave bench/results alone") { @options[:save] = false }
    end

    def known(names, all)
      unknown = names - all
      raise OptionParser::InvalidArgument, "unknown: #{unknown.join(", ")}" if unknown.any?

      names
    end

    # Starts again as that Ruby, which then is the one that servers run with.
    def switch_ruby(path)
      return if File.realpath(path) == File.realpath(RbConfig.ruby)

      exec(path, File.join(Setup::ROOT, "bench/bench.rb"), *@arguments)
    end
  end
end
