# frozen_string_literal: true

require_relative "equal_slots"
require_relative "lazy_app"
require_relative "slot_figures"

module Bench
  # What does it cost to serve so many requests at the same time, and how long do clients wait? Coppice with one process
  # for each slot beside Puma with four threads in each process. The rates of the open loops are shares of what Puma can
  # do, so that all servers get the same.
  class Slots < EqualSlots
    SHARES = [30, 70].freeze # percent

    #: (Options) -> void
    def initialize(options)
      @app = LazyApps.of(options)
      super(options, refork_after: @app.refork_after, **@app.plan)
    end

    private

    def shares = @options.shares || SHARES

    def facts = { **super, "app" => @app.name, "requests" => @options.requests, "shares" => shares }

    def figures = SlotFigures.new(slots: slots, shares: shares).all

    def measure(server, _round)
      SlotRun.new(server, slots: slots, seconds: seconds, **@app.load)
             .measure(warm_up_requests: @options.requests, shares: shares) { |own| capacity(server, own) }
    end

    # Requests per second of Puma's first round, so that all rounds have the same rates.
    def capacity(server, own)
      first = @rounds.rows.select { |row| row["server"] == @servers.reference }.min_by { |row| row["round"] }
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
