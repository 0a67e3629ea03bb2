# frozen_string_literal: true

require "net/http"
require_relative "benchmark"
require_relative "cpu_time"
require_relative "rounds"

module Bench
  # What does it cost to have many workers? The monitor's CPU time for a boot, a refork of all workers, and doing
  # nothing, with more and more of them. The costs of one worker should be the same in each row.
  class Workers < Benchmark
    COUNTS = [50, 100, 200, 400, 1000].freeze
    TIMEOUT = 300 # seconds for a boot or a refork
    IDLE_SECONDS = 10

    Round = Struct.new(:boot_seconds, :boot_ms, :refork_seconds, :refork_ms, :mold_ms, :idle_percent, :stop_seconds,
      keyword_init: true)

    #: () -> Array[Plan]
    def plans
      @plans ||= counts.map do |count|
        Servers.plan("coppice", **@options.plan_for("coppice"), workers: count, label: count.to_s)
      end
    end

    #: (Report) -> void
    def call(report)
      rounds = Rounds.new(plans, @options.rounds) { |server| round(server) }
      report.text "Workers of a hello application. CPU time is that of one process, divided by the number of " \
                  "workers: of the monitor from its start until all workers are ready, and from USR2 until all are " \
                  "replaced; of the mold that forks them, since it was forked itself. Idle: the monitor's part of a " \
                  "core while nobody requests anything, for #{IDLE_SECONDS} s. Rounds, in turn: #{@options.rounds}."
      head = ["workers", "boot, s", "monitor, ms per worker", "refork, s", "monitor, ms per worker",
              "mold, ms per worker", "monitor idle, %", "stop, s"]
      rounds.write_table(report, head) { |label, found| row(label, found) }
    end

    private

    def counts = @options.client_counts || COUNTS

    def round(server)
      @pid = server.tree.root
      server.with_board do |board|
        Round.new(**boot(board, server), idle_percent: CpuTime.core_percents([@pid], IDLE_SECONDS).first,
          **refork(board, server), stop_seconds: stop(server))
      end
    end

    def boot(board, server)
      began_at = File.stat("/proc/#{@pid}").ctime.to_f
      wait_for_workers(board, server, 0)
      { boot_seconds: Time.now.to_f - began_at, boot_ms: CpuTime.ms_of(@pid) }
    end

    def refork(board, server)
      Net::HTTP.get(URI("http://127.0.0.1:#{server.port}/"))
      server.wait_until("the request counted", timeout: TIMEOUT) { rows(board, :worker).sum(&:requests).positive? }
      before, began = CpuTime.ms_of(@pid), Bench.now
      server.signal(:USR2)
      wait_for_workers(board, server, 1)
      mold = rows(board, :mold).find { |row| row.generation == 1 }
      { refork_seconds: Bench.now - began, refork_ms: CpuTime.ms_of(@pid) - before, mold_ms: CpuTime.ms_of(mold.pid) }
    end

    def stop(server)
      began = Bench.now
      server.stop
      Bench.now - began
    end

    def wait_for_workers(board, server, generation)
      server.wait_until("all workers ready in generation #{generation}", timeout: TIMEOUT) do
        workers = rows(board, :worker)
        workers.size == server.plan.workers && workers.all? { |row| row.ready? && row.generation == generation }
      end
    end

    def rows(board, role) = board.rows.select { |row| row.role_name == role }

    def row(label, rounds)
      workers = label.to_i
      each = ->(name) { Spread.new(rounds.map { |round| round.public_send(name) / workers }).to_s(digits: 2) }
      plain = ->(name) { Spread.new(rounds.map(&name)).to_s(digits: 1) }
      [label, plain.call(:boot_seconds), each.call(:boot_ms), plain.call(:refork_seconds), each.call(:refork_ms),
       each.call(:mold_ms), Spread.new(rounds.map(&:idle_percent)).to_s(digits: 2), plain.call(:stop_seconds)]
    end
  end
end
