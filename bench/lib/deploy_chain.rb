# frozen_string_literal: true

require_relative "load"
require_relative "memory_timeline"
require_relative "running_server"

module Bench
  # Servers that follow each other: each boots beside the one before, which serves clients until then.
  class DeployChain
    CLIENTS = 2 # in a closed loop
    INTERVAL = 0.5 # seconds between two samples of the memory
    SETTLING = 500 # requests between the first ones and the steady ones
    KEPT_AFTER = 65 # seconds after the start of a server: then it has kept what it has learned
    HEALTH = "/up" # as a platform asks

    # Some requests of one server: their latencies, and the CPU time of all its processes meanwhile.
    Phase = Struct.new(:load, :cpu_seconds)
    # One deploy: the memory of the old server alone, of both at the most, and how long the new one took.
    Exchange = Struct.new(:alone_mib, :peak_mib, :seconds)

    attr_reader :first       #: Array[Phase]
    attr_reader :steady      #: Array[Phase]
    attr_reader :deploys     #: Array[Exchange]
    attr_reader :error_count #: Integer

    # plans: those that take turns. requests: of a phase. before: arguments of `coppice` for the old server, before the
    # next one boots.
    #: (Array[Plan], String, load: Hash[Symbol, untyped], requests: Integer, before: Array[String]?) -> void
    def initialize(plans, folder, load:, requests:, before:)
      @plans = plans.cycle
      @folder = folder
      @load = { **load, clients: CLIENTS, keep_alive: true, each: true, seconds: 600 }
      @requests = requests
      @before = before
      @first, @steady, @deploys = [], [], []
      @error_count = @started = 0
    end

    #: (Integer) -> self
    def run(deploys)
      server = new_server.tap(&:start)
      note_errors(Load.run(server.port, **@load, seconds: KEPT_AFTER))
      deploys.times { server = deploy(server) }
      note_steady(server)
      self
    ensure
      ProcessTree.end_descendants
    end

    private

    def new_server = RunningServer.new(@plans.next, File.join(@folder, (@started += 1).to_s), health: HEALTH)

    # Returns the server that has taken over.
    def deploy(old)
      alone = note_steady(old)
      fresh = new_server
      _, timeline = MemoryTimeline.during(old, fresh, interval: INTERVAL) { exchange(old, fresh) }
      @deploys << Exchange.new(alone, timeline.peak, fresh.boot_seconds)
      serve(fresh, SETTLING)
      fresh
    end

    # The clients go to the new server when it is up, and then the old one is stopped.
    def exchange(old, fresh)
      meanwhile = Load.new(old.port, **@load).start
      old.coppice(*@before) if @before
      fresh.start
      phase = Thread.new { phase(fresh) }
      note_errors(meanwhile.stop.finish)
      old.stop
      @first << phase.value
    end

    # Returns the mean of its memory.
    def note_steady(server)
      phase, timeline = MemoryTimeline.during(server, interval: INTERVAL) { phase(server) }
      @steady << phase
      timeline.mean
    end

    def phase(server)
      before = server.tree.cpu
      load = serve(server, @requests)
      Phase.new(load, (server.tree.cpu - before).seconds)
    end

    def serve(server, requests)
      note_errors(Load.run(server.port, **@load, requests: requests)).tap { server.check }
    end

    def note_errors(load) = load.tap { @error_count += load.error_count }
  end
end
