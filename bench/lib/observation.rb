# frozen_string_literal: true

require "socket"
require_relative "benchmark"
require_relative "cpu_time"
require_relative "rounds"

module Bench
  # What does the observer cost, and what do clients notice when it is asked, killed or stopped? The monitor's and the
  # observer's part of a core while nobody requests anything, then CPU time and latency of requests.
  class Observation < Benchmark
    TIMEOUT = 60 # seconds until all processes are ready
    IDLE_SECONDS = 10
    PAUSE = 1 # seconds between two questions, or two kills
    SOCKET = "admin.sock" # in the server's directory
    ADMIN_LISTEN = "admin_listen File.expand_path('#{SOCKET}')".freeze
    QUESTION = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    STATES = ["without", "idle", "asked each second", "killed each second", "stopped"].freeze

    Round = Struct.new(:monitor_percent, :observer_percent, :cpu_us, :load, keyword_init: true)

    #: () -> Array[Plan]
    def plans
      @plans ||= STATES.map do |state|
        plan = Servers.plan("coppice", **@options.plan_for("coppice"), workers: @options.workers || 100, label: state)
        plan.tap { plan.settings = [*plan.settings, ADMIN_LISTEN] unless state == "without" }
      end
    end

    #: (Report) -> void
    def call(report)
      rounds = Rounds.new(plans, @options.rounds) { |server| round(server) }
      report.text "#{plans.first.workers} workers. Idle: a part of a core while nobody requests anything, for " \
                  "#{IDLE_SECONDS} s. Then #{clients} clients in a closed loop for #{@options.seconds} s. CPU time: " \
                  "of all processes. Rounds, in turn: #{@options.rounds}."
      head = ["observer", "monitor idle, %", "observer idle, %", "CPU, µs per request", "median, µs", "p99, µs",
              "errors"]
      rounds.write_table(report, head) { |label, found| row(label, found) }
    end

    private

    def clients = @options.clients || 8

    def round(server)
      server.with_board do |board|
        wait_for_processes(server, board)
        disturbance = disturb(server, board)
        Round.new(**idle(server, board), **under_load(server))
      ensure
        disturbance&.kill&.join
        signal(board, :CONT)
      end
    end

    def wait_for_processes(server, board)
      others = server.plan.label == "without" ? [:mold] : %i[mold observer]
      what = "#{server.plan.workers} workers, #{others.join(" and ")} ready"
      server.wait_until(what, timeout: TIMEOUT) do
        board.rows.count(&:ready?) >= server.plan.workers + others.size
      end
    end

    # Returns the thread that disturbs, for as long as the round measures; nil if there is none.
    def disturb(server, board)
      case server.plan.label
      when "stopped" then signal(board, :STOP) && nil
      when "killed each second" then again { signal(board, :KILL) }
      when "asked each second" then again { ask(server) }
      end
    end

    def again
      Thread.new do
        loop do
          yield
          sleep PAUSE
        end
      end
    end

    def under_load(server)
      Load.run(server.port, clients: clients, seconds: 1)
      before = server.tree
      result = Load.run(server.port, clients: clients, seconds: @options.seconds)
      cpu_us = (server.tree.cpu - before.cpu).seconds * 1e6 / [result.answered, 1].max
      { cpu_us: cpu_us, load: result }
    end

    def idle(server, board)
      pid = observer(board)&.pid unless server.plan.label.start_with?("killed") # another one each second
      monitor_percent, observer_percent = CpuTime.core_percents([server.tree.root, *pid], IDLE_SECONDS)
      { monitor_percent: monitor_percent, observer_percent: observer_percent }
    end

    def observer(board) = board.rows.find { |row| row.role_name == :observer }

    # The one of this moment. It may have exited, or not be there yet.
    def signal(board, name)
      pid = observer(board)&.pid
      ProcessTree.signal(name, pid) if pid&.positive?
    end

    def ask(server)
      UNIXSocket.open("/proc/#{server.tree.root}/cwd/#{SOCKET}") { |socket| socket.write(QUESTION) && socket.read }
    rescue SystemCallError
      nil # at the end of a round
    end

    def row(label, rounds)
      percents = [:monitor_percent, :observer_percent].map { |name| Spread.new(rounds.map(&name)).to_s(digits: 2) }
      latencies = [:p50_us, :p99_us].map { |name| Spread.new(rounds.map { |round| round.load[name] }).to_s }
      [label, *percents, Spread.new(rounds.map(&:cpu_us)).to_s(digits: 1), *latencies,
       LoadResult.errors_of(rounds.map(&:load))]
    end
  end
end
