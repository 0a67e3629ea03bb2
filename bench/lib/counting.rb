# frozen_string_literal: true

require "socket"

module Bench
  # What does it cost a request to be counted? One process serves a hello application over pairs of sockets. Its turns
  # alternate between an exchange that notes and counts each request on a row of the board, and one that does neither.
  # The same client is part of both, and so is not in the difference.
  class Counting
    REQUESTS = 2000 # of a turn
    REQUEST = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    ANSWER = [200, { "content-type" => "text/plain" }.freeze, ["Hello, World!\n"].freeze].freeze

    #: (Options) -> void
    def initialize(options)
      @options = options
    end

    # None is started: for the versions that a report names.
    #: () -> Array[Plan]
    def plans = @plans ||= [Servers.plan("coppice", **@options.plan_for("coppice"))]

    #: (Report) -> void
    def call(report)
      load_coppice
      counting, silent = exchange(@board.row(0)), exchange(nil)
      [counting, silent].each { |exchange| us_per_request(exchange) } # the first turn is a warm-up
      turns = Array.new(@options.rounds) { [us_per_request(silent), us_per_request(counting)] }
      describe(report, turns)
    ensure
      @board&.close
    end

    private

    def load_coppice
      $LOAD_PATH.unshift(File.join(plans.first.checkout, "lib"))
      require "coppice"
      require "coppice/board"
      require "coppice/config/settings"
      require "coppice/log"
      require "coppice/threaded_server"
      @board = Coppice::Board.create
      @settings = Coppice::Config::Settings.new
    end

    # As a thread of a ThreadedServer has it.
    def exchange(row)
      observer = Coppice::ThreadedServer::RequestObserver.new(nil, row, nil)
      log = Coppice::Log.for(@settings, role: :bench)
      Coppice::Http::Exchange.new(app: ->(_env) { ANSWER }, settings: @settings, logger: log, observer: observer,
        lingering: nil).tap { |made| made.connection.count_on(row) if row }
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
      silent, counting = turns.transpose
      differences = turns.map { |without, with| with - without }
      report.text "#{@options.rounds} turns of #{REQUESTS} requests with each, the client's part included: µs of CPU " \
                  "time per request. Differences are taken between neighbours."
      report.table ["", "median", "quarter to three quarters", "lowest to highest"],
        [["neither noted nor counted", *figures(silent)], ["noted and counted", *figures(counting)],
         ["difference", *figures(differences)]]
    end

    def figures(values)
      sorted = values.sort
      quarter = sorted.size / 4
      [Spread.new(values).median, [sorted[quarter], sorted[-1 - quarter]], sorted.minmax]
        .map { |value| Array(value).map { |number| format("%.2f", number) }.join(" to ") }
    end
  end
end
