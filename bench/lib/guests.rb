# frozen_string_literal: true

require "open3"
require_relative "benchmark"
require_relative "memory_map"
require_relative "running_server"
require_relative "spread"

module Bench
  # How long does a program take in a fork of the warm application, and how much memory of its own? Compared with the
  # same program in a process that loads the application itself. The two take turns.
  class Guests < Benchmark
    RUNS = 30 # of each, in one round
    WAIT = "$stdout.puts; $stdout.flush; $stdin.read" # says that it runs, and goes on until its input ends
    SINGLE = "require 'rack'; Rack::Builder.parse_file(ARGV.shift); eval(ARGV.shift)"

    Round = Struct.new(:warm_ms, :cold_ms, :guest, :client, :alone, keyword_init: true)

    #: () -> Array[Plan]
    def plans
      common = @options.plan_for("coppice")
      @plans ||= [Servers.plan("coppice", **@app.plan, **common, label: @app.name, workers: @options.workers || 2,
        settings: [*common[:settings], "guests 4"])]
    end

    #: (Report) -> void
    def call(report)
      rounds = Array.new(@options.rounds) { RunningServer.run(*plans) { |server| round(server) } }
      report.text "#{@app.description} Rounds: #{@options.rounds}, with #{runs} runs of each in turn."
      report.table ["", "ms until it has ended", "PSS MiB", "private MiB"],
        [["coppice run -e 1", Spread.new(rounds.flat_map(&:warm_ms)), *memory(rounds.map(&:guest))],
         ["its client", "–", *memory(rounds.map(&:client))],
         ["by itself", Spread.new(rounds.flat_map(&:cold_ms)), *memory(rounds.map(&:alone))]]
    end

    private

    def runs = @options.requests || RUNS

    def round(server)
      times = Array.new(runs) { [ms_of(server, warm(server, "1")), ms_of(server, cold("1"))] }
      Round.new(warm_ms: times.map(&:first), cold_ms: times.map(&:last), **sizes(server))
    end

    def sizes(server)
      client, guest = waiting(server, warm(server, WAIT)) { |pid| [size(pid), size(guest_of(server))] }
      { client: client, guest: guest, alone: waiting(server, cold(WAIT)) { |pid| size(pid) } }
    end

    # As bin/coppice starts it: without RubyGems.
    def warm(server, code)
      [RbConfig.ruby, "--disable=gems", "#{server.plan.checkout}/exe/coppice", "run", "--pid", server.tree.root.to_s,
       "-e", code]
    end

    def cold(code)
      return ["bin/rails", "runner", code] if @app.name == "shop"

      [RbConfig.ruby, "-rbundler/setup", "-e", SINGLE, plans.first.app, code]
    end

    def folder = @app.name == "shop" ? Setup::EXAMPLE : File.dirname(plans.first.app)

    def ms_of(server, command)
      began = Bench.now
      Setup.run(*command, env: server.plan.process_environment, folder: folder)
      (Bench.now - began) * 1000
    end

    # Yields the pid of the program once it runs.
    def waiting(server, command)
      environment = server.plan.process_environment
      Open3.popen2(environment, *command, chdir: folder, unsetenv_others: true) do |input, output, process|
        output.gets or raise Failure, "#{command.join(" ")} has ended"
        yield process.pid
      ensure
        input.close
      end
    end

    def guest_of(server) = server.with_board { |board| board.rows.find { |row| row.role_name == :guest }.pid }

    def size(pid) = Coppice::Memory::Rollup.of(pid)

    def memory(sizes)
      [:pss, :private].map { |name| Spread.new(sizes.map { |size| size.public_send(name) / 1024.0 }).to_s(digits: 1) }
    end
  end
end
