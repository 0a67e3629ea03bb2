# frozen_string_literal: true

require_relative "memory_timeline"
require_relative "refork_watch"
require_relative "slot_row"

module Bench
  # Measures one fresh server in several phases: warm-up, a closed loop, open loops, and an open loop while it reforks.
  class SlotRun
    WARM_UP = "warm-up"
    CLOSED = "closed loop"
    REFORKS = "while reforking"
    WARM_UP_SECONDS = 90 # at most, for each half of it
    FEW_CLIENTS = 4 # of its first half
    TIMEOUT = 60 # seconds that a client waits
    OPEN_CLIENTS = 500 # connections of an open loop, at most
    REFORKING = %w[coppice pitchfork].freeze
    LOOK = 0.1 # seconds between two looks at a refork

    #: (Integer) -> String the name of that phase
    def self.open_loop(share) = "open loop, #{share} %"

    # load: options of the load generator.
    #: (RunningServer, slots: Integer, seconds: Numeric, **untyped) -> void
    def initialize(server, slots:, seconds:, **load)
      @server = server
      @slots = slots
      @seconds = seconds
      @load = { **load, timeout: TIMEOUT }
      @phases = {}
    end

    # The block is called with the closed loop's phase, and returns the requests per second that the shares are
    # percents of.
    #: (warm_up_requests: Integer, shares: Array[Integer]) { (SlotPhase) -> Float } -> Hash[String, untyped]
    def measure(warm_up_requests:, shares:)
      warm_up(warm_up_requests / 2)
      full = yield(closed_loop)
      shares.each { |share| open_loop(self.class.open_loop(share), full * share / 100) { sleep @seconds } }
      seconds = reforks(full * shares.first / 100) if REFORKING.include?(@server.plan.server.name)
      { "boot_seconds" => @server.boot_seconds, "full_rate" => full, "refork_seconds" => seconds, "phases" => @phases }
    end

    private

    # First with few clients: if all workers got their first requests at once, these would take longer than a server
    # allows.
    def warm_up(requests)
      @phases[WARM_UP] = SlotPhase.measure(@server) do
        { "few" => FEW_CLIENTS, "all" => @slots }.transform_values do |clients|
          Load.run(@server.port, **@load, clients: clients, requests: requests, seconds: WARM_UP_SECONDS)
        end
      end
    end

    def closed_loop
      @phases[CLOSED] = SlotPhase.measure(@server) do
        { "all" => Load.run(@server.port, **@load, clients: @slots, seconds: @seconds) }
      end
    end

    # For as long as the block runs.
    def open_loop(name, rate)
      @phases[name] = SlotPhase.measure(@server) do
        load = Load.new(@server.port, **@load, clients: OPEN_CLIENTS, rate: rate, seconds: 3600).start
        yield
        { "all" => load.stop.finish }
      end
    end

    # One refork after another. Returns the mean of their seconds. nil if one was not over in time, which is no reason
    # to lose the other phases.
    def reforks(rate)
      watches = []
      open_loop(REFORKS, rate) do
        deadline = Bench.now + @seconds
        watches << ReforkWatch.new(@server, interval: LOOK).run while Bench.now < deadline
      end
      watches.sum(&:seconds) / watches.size
    rescue Failure => error
      @server.check
      warn "bench: #{error.message}"
    end
  end
end
