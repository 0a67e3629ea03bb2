# frozen_string_literal: true

require_relative "lazy_app"
require_relative "resumed_rounds"
require_relative "slot_figures"
require_relative "slot_servers"

module Bench
  # What does it cost to serve so many requests at the same time, and how long do clients wait? Coppice with one process
  # for each slot beside Puma with four threads in each process. The rates of the open loops are shares of what Puma can
  # do, so that all servers get the same.
  class Slots
    SHARES = [30, 70].freeze # percent

    #: (Options) -> void
    def initialize(options)
      @options = options
      @app = LazyApps.of(options)
      @servers = SlotServers.new(options, refork_after: @app.refork_after, **@app.plan)
    end

    #: () -> Array[Plan]
    def plans = @plans ||= @servers.plans

    #: (Report) -> void
    def call(report)
      rounds = ResumedRounds.new(RowFile.new(@options.rows), facts)
      rows = rounds.run(plans, @options.rounds) { |server| measure(server, rounds) }
      report.text introduction
      rounds.write_failed(report)
      table = SlotTable.new(rows, labels: plans.map(&:label), reference: @servers.reference)
      report.table table.head, table.lines(SlotFigures.new(slots: slots, shares: shares).all)
    end

    private

    def slots = @options.slots
    def seconds = @options.seconds
    def shares = @options.shares || SHARES

    # What makes rows comparable.
    def facts
      { "benchmark" => "slots", "app" => @app.name, "slots" => slots, "seconds" => seconds,
        "requests" => @options.requests, "shares" => shares, **@options.surroundings }
    end

    def measure(server, rounds)
      SlotRun.new(server, slots: slots, seconds: seconds, **@app.load)
             .measure(warm_up_requests: @options.requests, shares: shares) { |own| capacity(server, own, rounds) }
    end

    # Requests per second of Puma's first round, so that all rounds have the same rates.
    def capacity(server, own, rounds)
      first = rounds.rows.select { |row| row["server"] == @servers.reference }.min_by { |row| row["round"] }
      phase = first ? SlotRow.new(first).phase(SlotRun::CLOSED) : own
      return phase.requests_per_second if first || server.plan.label == @servers.reference

      raise Failure, "#{@options.rows} has no #{@servers.reference} to take the rates from: measure puma first"
    end

    def introduction
      "#{@app.description} #{slots} slots. Each round starts fresh servers in turn: #{@options.requests} requests to " \
        "warm up, half of them from #{SlotRun::FEW_CLIENTS} clients; #{seconds} s of #{slots} clients in a closed " \
        "loop; #{seconds} s each of open loops with #{shares.join(" % and ")} % of the requests per second that " \
        "#{@servers.reference} answers in the closed loop; and #{seconds} s of an open loop of #{shares.first} % " \
        "with one refork after another. A request of an open loop takes from the instant at which it was due. Median " \
        "(lowest–highest) of #{@options.rounds} rounds; ratios are taken in a round. Memory and CPU time are those " \
        "of all processes. The peak also counts the warm-up and the reforks, the mean does not. Of the errors, " \
        "status is an answer other than 200, timeout a request of more than #{SlotRun::TIMEOUT} s."
    end
  end
end
