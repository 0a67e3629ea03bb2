# frozen_string_literal: true

require_relative "memory_timeline"
require_relative "resumed_rounds"
require_relative "slot_servers"
require_relative "slot_table"

module Bench
  # What do other clients notice when one route hangs, or one client sends far more than the others? An open loop over
  # forty routes goes on, quiet at first, then beside each disturbance.
  class Spike
    ROUTES = ("a".."z").to_a.product(%w[x y]).first(40).map { |pair| "/#{pair.join}" }.freeze
    LOAD = 0.3 # of what the slots can do: others come at this rate
    SECONDS_OF_REQUEST = 0.01 # bench/apps/spike.ru
    HANG_SECONDS = 30
    LEAD = 2 # seconds for which others come alone
    TIMEOUT = 10 # seconds that a client waits, as a browser's user would
    CLIENTS = 300 # connections of an open loop, at most
    EAGER_CLIENTS = 50
    OTHERS = "others"
    # Scene => options of the load generator that disturbs; none while it is quiet.
    SCENES = {
      "quiet" => nil,
      "one route of forty hangs" => { path: "/hang", share: 1.0 / 40, timeout: 60 },
      "five requests of #{HANG_SECONDS} s" => { path: "/hang", clients: 5, requests: 5, timeout: 60 },
      "one client sends without a pause" => { path: "/ax", clients: EAGER_CLIENTS, client: "198.51.100.7" }
    }.freeze

    #: (Options) -> void
    def initialize(options)
      @options = options
      @servers = SlotServers.new(options, app: "spike.ru")
    end

    #: () -> Array[Plan]
    def plans = @plans ||= @servers.plans

    #: (Report) -> void
    def call(report)
      rounds = ResumedRounds.new(RowFile.new(@options.rows), facts)
      rows = rounds.run(plans, @options.rounds) { |server, round| { "phases" => phases(server, round) } }
      report.text introduction
      rounds.write_failed(report)
      table = SlotTable.new(rows, labels: plans.map(&:label), reference: @servers.reference)
      report.table table.head, table.lines(SCENES.keys.flat_map { |name| figures(name) })
    end

    private

    def facts
      { "benchmark" => "spike", "slots" => @options.slots, "seconds" => @options.seconds, **@options.surroundings }
    end

    def phases(server, round)
      MemoryMap.wait_until_quiet(server) # all workers have started
      warm_up(server)
      SCENES.each_with_index.to_h do |(name, disturbance), scene|
        phase = SlotPhase.measure(server) { loads(server, disturbance, (round * SCENES.size) + scene) }
        sleep HANG_SECONDS if disturbance # what hangs has ended then
        [name, phase]
      end
    end

    # As many requests as teach each server what its routes take.
    def warm_up(server)
      Load.run(server.port, **others(0), seconds: @options.seconds / 4)
    end

    def loads(server, disturbance, seed)
      load = Load.new(server.port, **others(2 * seed), seconds: @options.seconds).start
      return { OTHERS => load.finish } unless disturbance

      sleep LEAD
      disturber = disturb(server, **disturbance, seed: (2 * seed) + 1)
      { OTHERS => load.finish, "disturbance" => disturber.stop.finish }
    end

    def others(seed)
      { path: ROUTES.join(","), rate: rate, seed: seed, timeout: TIMEOUT, clients: CLIENTS,
        header: "X-Forwarded-For: 198.51.100.1" }
    end

    def disturb(server, share: nil, client: "198.51.100.1", **load)
      load = { clients: CLIENTS, rate: rate * share, **load } if share
      Load.new(server.port, timeout: TIMEOUT, **load, seconds: @options.seconds,
        header: "X-Forwarded-For: #{client}").start
    end

    # Requests per second.
    def rate = @options.slots * LOAD / SECONDS_OF_REQUEST

    def introduction
      "#{@options.slots} slots, an open loop of #{rate.round} requests a second over #{ROUTES.size} routes of " \
        "#{(SECONDS_OF_REQUEST * 1000).round} ms, #{@options.seconds} s for each scene. Beside it: a route that " \
        "hangs for #{HANG_SECONDS} s, at its part of the rate; five requests of that route at once; and " \
        "#{EAGER_CLIENTS} connections of one client in a closed loop. The figures are those of all others. A request " \
        "takes from the instant at which it was due. Errors: status is an answer other than 200, timeout a request " \
        "of more than #{TIMEOUT} s. #{@options.rounds} rounds in turn: median (lowest–highest); ratios are taken in " \
        "a round."
    end

    def figures(name)
      share = ->(row) { share_answered(row.phase(name).loads.fetch(OTHERS)) }
      [SlotFigure.new("#{name}: answered, %", 2, false, share),
       SlotFigure.new("#{name}: p50, ms", 1, true, ->(row) { row.phase(name).milliseconds(OTHERS, :p50_us) }),
       SlotFigure.new("#{name}: p99, ms", 1, true, ->(row) { row.phase(name).milliseconds(OTHERS, :p99_us) })]
    end

    def share_answered(load) = 100.0 * load.answered / [load.answered + load.error_count, 1].max
  end
end
