# frozen_string_literal: true

require_relative "equal_slots"

module Bench
  # What do clients notice when traffic rises tenfold, one client sends far more than the others, or one route or the
  # database hangs? An open loop over forty routes goes on, quiet at first, then beside each disturbance.
  class Spike < EqualSlots
    ROUTES = ("a".."z").to_a.product(%w[x y]).first(40).map { |pair| "/#{pair.join}" }.freeze
    SECONDS_OF_REQUEST = 0.01 # bench/apps/spike.ru
    LOAD = 0.3 # of what the slots can do: others come at this rate
    SALE = 1.0 # ten times a tenth of it
    HANG_SECONDS = 30
    STOP_SECONDS = 20 # of the database
    LEAD = 2 # seconds for which others come alone
    LATER = 2 # seconds within which all is to be as before
    TIMEOUT = 10 # seconds that a client waits, as a browser's user would
    CLIENTS = 1000 # connections of an open loop, at most
    EAGER_CLIENTS = 50
    ADDRESSES = 100 # of the others
    OTHERS = "others"
    AFTERWARDS = "afterwards"

    # load: of others, relative to what the slots can do; nil for a closed loop. disturbance: options of the load
    # generator that is started LEAD seconds later; its last request is waited for. stop: for how long the database does
    # not answer. later: whether others come again LATER seconds after it: their figures are those of "afterwards".
    Scene = Struct.new(:name, :load, :disturbance, :stop, :later, keyword_init: true)
    # The last one leaves requests behind that a server may serve for minutes, though their clients are gone.
    SCENES = [
      Scene.new(name: "quiet", load: LOAD),
      Scene.new(name: "ten times the traffic", load: SALE, later: true),
      Scene.new(name: "as fast as it can"),
      Scene.new(name: "one client sends without a pause", load: LOAD,
        disturbance: { path: "/ax", clients: EAGER_CLIENTS, client: "198.51.100.7" }),
      Scene.new(name: "the database stops for #{STOP_SECONDS} s", load: LOAD, stop: STOP_SECONDS, later: true),
      Scene.new(name: "five requests of #{HANG_SECONDS} s", load: LOAD,
        disturbance: { path: "/hang", clients: 5, requests: 5, timeout: 60 }),
      Scene.new(name: "one route of forty hangs", load: LOAD,
        disturbance: { path: "/hang", share: 1.0 / 40, timeout: 60 })
    ].freeze

    #: (Options) -> void
    def initialize(options)
      super(options, app: "spike.ru")
    end

    private

    def measure(server, round)
      MemoryMap.wait_until_quiet(server) # all workers have started
      Load.run(server.port, **others(LOAD, 0), seconds: seconds / 4) # teaches a server what its routes take
      phases = SCENES.each_with_index.to_h do |scene, number|
        [scene.name, SlotPhase.measure(server) { play(scene, server, 3 * ((round * SCENES.size) + number)) }]
      end
      { "phases" => phases }
    end

    def play(scene, server, seed)
      return { OTHERS => closed_loop(server) } unless scene.load

      load = Load.new(server.port, **others(scene.load, seed), seconds: scene.stop ? LEAD + scene.stop : seconds).start
      stop_database(server, scene.stop) if scene.stop
      disturber = disturb(server, **scene.disturbance, seed: seed + 1) if scene.disturbance
      loads = { OTHERS => load.finish, "disturbance" => disturber&.stop&.finish }.compact
      scene.later ? { **loads, AFTERWARDS => afterwards(server, seed + 2) } : loads
    end

    def afterwards(server, seed)
      sleep LATER
      Load.run(server.port, **others(LOAD, seed), seconds: seconds / 2)
    end

    def closed_loop(server)
      Load.run(server.port, path: ROUTES.join(","), clients: 2 * slots, timeout: TIMEOUT, seconds: seconds)
    end

    # Requests of the application wait for this file's lock.
    def stop_database(server, stop)
      sleep LEAD
      File.open(server.plan.app) { |file| file.flock(File::LOCK_EX) && sleep(stop) }
    end

    def others(load, seed)
      { path: ROUTES.join(","), rate: rate(load), seed: seed, timeout: TIMEOUT, clients: CLIENTS,
        header: "X-Forwarded-For: 203.0.113.{n}", modulus: ADDRESSES }
    end

    def disturb(server, share: nil, client: "198.51.100.1", **load)
      sleep LEAD
      load = { clients: CLIENTS, rate: rate(LOAD) * share, **load } if share
      Load.new(server.port, timeout: TIMEOUT, **load, seconds: seconds, header: "X-Forwarded-For: #{client}").start
    end

    # Requests per second.
    def rate(load) = slots * load / SECONDS_OF_REQUEST

    def introduction
      "#{slots} slots, an open loop of #{rate(LOAD).round} requests a second of #{ADDRESSES} clients over " \
        "#{ROUTES.size} routes of #{(SECONDS_OF_REQUEST * 1000).round} ms (2 of them CPU time), #{seconds} s for " \
        "each scene. Then: #{rate(SALE).round} requests a second at once; a closed loop of #{2 * slots} clients; " \
        "#{EAGER_CLIENTS} connections of one client in a closed loop beside the others; a database that answers " \
        "nobody for #{STOP_SECONDS} s; five requests at once that hang for #{HANG_SECONDS} s; a route of such, at " \
        "its part of the rate. The figures are those of all others; afterwards: for #{seconds / 2} s, from #{LATER} " \
        "s behind the end. A request takes from the instant at which it was due. Errors, of all: status is an answer " \
        "other than 200, timeout a request of more than #{TIMEOUT} s. #{@options.rounds} rounds in turn: median " \
        "(lowest–highest); ratios are taken in a round."
    end

    def figures = SCENES.flat_map { |scene| figures_of(scene) }

    def figures_of(scene)
      return [figure(scene, "requests per second", 0, &:requests_per_second)] unless scene.load

      answers = scene.stop ? [] : answers(scene, OTHERS, "")
      answers += answers(scene, AFTERWARDS, ", #{AFTERWARDS}") if scene.later
      [*answers, figure(scene, "workers, mean", 1) { |phase| phase.workers[1] },
       figure(scene, "total PSS, mean, MiB", 0, &:mean_mib)]
    end

    def answers(scene, load, title)
      percentiles = { "p50" => :p50_us, "p95" => :p95_us, "p99" => :p99_us }.map do |name, percentile|
        figure(scene, "#{name}, ms", 1, title) { |phase| phase.milliseconds(load, percentile) }
      end
      [figure(scene, "answered, %", 2, title, compared: false) { |phase| share_answered(phase.loads.fetch(load)) },
       *percentiles]
    end

    def figure(scene, name, digits, title = "", compared: true, &value)
      SlotFigure.new("#{scene.name}#{title}: #{name}", digits, compared,
        ->(row) { row.phase(scene.name)&.then { |phase| value.call(phase) } })
    end

    def share_answered(load) = 100.0 * load.answered / [load.answered + load.error_count, 1].max
  end
end
