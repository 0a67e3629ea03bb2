# frozen_string_literal: true

require "socket"
require_relative "benchmark"
require_relative "spread"

module Bench
  # What does it cost a request to be counted? One process serves a hello application over pairs of sockets, in turns:
  # with an exchange that counts, with one that only notes which request is in flight and its deadline, as the monitor
  # needs it, and with one that does neither. The client is part of all, and so is not in the differences.
  class Counting < Benchmark
    REQUESTS = 2000 # of a turn
    REQUEST = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    ANSWER = [200, { "content-type" => "text/plain" }.freeze, ["Hello, World!\n"].freeze].freeze

    NAMES = ["neither noted nor counted", "noted", "noted and counted"].freeze

    # None is started: for the versions that a report names.
    #: () -> Array[Plan]
    def plans = @plans ||= [Servers.plan("coppice", **@options.plan_for("coppice"))]

    #: (Report) -> void
    def call(report)
      load_coppice
      row = @board.row(0)
      exchanges = [exchange(observer(nil)), noting(row), counting(row)]
      exchanges.each { |exchange| us_per_request(exchange) } # the first turn is a warm-up
      describe(report, Array.new(@options.rounds) { exchanges.map { |exchange| us_per_request(exchange) } })
    ensure
      @board&.close
    end

    private

    def load_coppice
      require "coppice"
      require "coppice/board"
      require "coppice/config/settings"
      require "coppice/log"
      require "coppice/threaded_server"
      @board = Coppice::Board.create
      @settings = Coppice::Config::Settings.new
    end

    # Its clock has not begun to count.
    def noting(row) = exchange(observer(nil, clock: Coppice::RequestClock.new(row, 60_000)))

    # As a thread of a ThreadedServer has it.
    def counting(row) = exchange(observer(row)).tap { |exchange| exchange.connection.count_on(row) }

    def observer(row, **options) = Coppice::ThreadedServer::RequestObserver.new(nil, row, nil, **options)

    def exchange(observer)
      Coppice::Http::Exchange.new(app: ->(_env) { ANSWER }, settings: @settings, observer: observer, lingering: nil,
        logger: Coppice::Log.for(@settings, role: :bench))
    end

    # CPU time of this process.
    def us_per_request(exchange)
      GC.start
      before = cpu_us
      REQUESTS.times { request(exchange) }
      (cpu_us - before) / REQUESTS
    end

    def request(exchange)
      ours, theirs = UNIXSocket.pair
      theirs.autoclose = false # the connection owns the descriptor
      ours.write_nonblock(REQUEST)
      exchange.connection.adopt(theirs.fileno, "")
      exchange.serve
      ours.close
    end

    def cpu_us = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :float_microsecond)

    def describe(report, turns)
      rows = NAMES.zip(turns.transpose)
      rows += [["to note it", turns.map { |silent, noted, _| noted - silent }],
               ["to count it", turns.map { |_, noted, counted| counted - noted }]]
      report.text "#{@options.rounds} turns of #{REQUESTS} requests with each, the client's part included: µs of CPU " \
                  "time per request. Differences are taken between neighbours."
      report.table ["", "median", "quarter to three quarters", "lowest to highest"],
        rows.map { |name, values| [name, *figures(values)] }
    end

    def figures(values)
      spread = Spread.new(values)
      [[spread.median], spread.quartiles, spread.extremes]
        .map { |numbers| numbers.map { |number| format("%.2f", number) }.join(" to ") }
    end
  end
end
