# frozen_string_literal: true

require "socket"
require_relative "benchmark"
require_relative "memory_map"
require_relative "rounds"

module Bench
  # What do idle connections cost? Many clients connect, send one request each, and stay. Afterwards each sends another
  # one, so that a connection that the server has closed meanwhile is noticed. The kernel's own memory, about 4 KiB for
  # each connection on each side, is not measured.
  class Idle < Benchmark
    CONNECTIONS = 10_000
    REQUEST = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
    WARM_UP_CLIENTS = 100 # at a time, until there were as many requests as there will be connections
    SETTLING_SECONDS = 3 # buffers that are not used any more are given back meanwhile
    PATIENCE = 10 # seconds without an answer

    # What each server needs to take so many connections, beyond its usual configuration.
    SETTINGS = { "coppice" => "max_connections %d", Servers::FLOOR => "worker_connections %d;" }.freeze

    #: () -> Array[Plan]
    def plans
      @plans ||= @options.servers.map do |name|
        setting = SETTINGS[name]
        plan = Servers.plan(name, **@options.plan_for(name), workers: @options.workers || 2)
        plan.tap { plan.settings = [*plan.settings, format(setting, connections + 100)] if setting }
      end
    end

    #: (Report) -> void
    def call(report)
      rounds = Rounds.new(plans, @options.rounds) { |server| measure(server) }
      report.text "#{connections} connections of one client, each with one request before it is idle, " \
                  "#{plans.first.workers} workers, #{@options.rounds} rounds in turn: median (lowest–highest). " \
                  "Memory is proportional set size; only the processes' own, not the kernel's. " \
                  "What a server sets aside for connections at its start is in the first column: the lobby does so."
      head = ["server", "all processes, MiB", "with the connections, MiB", "bytes a connection",
              "the process that holds them, MiB", "answered afterwards"]
      rounds.write_table(report, head) { |label, results| [label, *columns(results)] }
    end

    private

    Result = Struct.new(:before, :after, :holder, :answered)
    private_constant :Result

    def connections = @options.clients || CONNECTIONS

    def columns(results)
      each = results.map { |result| (result.after - result.before) * 1024 * 1024 / connections }
      [Spread.new(results.map(&:before)).to_s(digits: 1), Spread.new(results.map(&:after)).to_s(digits: 1),
       Spread.new(each).to_s, Spread.new(results.map(&:holder)).to_s(digits: 1),
       Spread.new(results.map(&:answered)).to_s]
    end

    def measure(server)
      warm_up(server)
      before = settled(server)
      sockets = connect(server.port, connections)
      after = settled(server)
      answered = sockets.count { |socket| ask(socket) }
      Result.new(before.total_mib, after.total_mib, holder(after), answered)
    ensure
      sockets&.each(&:close)
    end

    # What the first requests cost once is no cost of a connection.
    def warm_up(server)
      (connections / WARM_UP_CLIENTS).times { connect(server.port, WARM_UP_CLIENTS).each(&:close) }
    end

    def settled(server)
      sleep SETTLING_SECONDS
      MemoryMap.of(server.tree)
    end

    def holder(map)
      lobby = map.sizes.find { |size| size.entry.title == "coppice lobby" }
      (lobby ? [lobby] : map.workers).sum(&:private_mib)
    end

    def connect(port, count)
      Array.new(count) { TCPSocket.new("127.0.0.1", port).tap { |socket| ask(socket) } }
    end

    # Whether it was answered.
    def ask(socket)
      socket.write(REQUEST)
      answer = +""
      until answer.include?("\r\n\r\nHello")
        return false unless socket.wait_readable(PATIENCE)

        answer << socket.readpartial(4096)
      end
      true
    rescue SystemCallError, EOFError
      false
    end
  end
end
