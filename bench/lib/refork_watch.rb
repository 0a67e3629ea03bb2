# frozen_string_literal: true

require_relative "process_tree"

module Bench
  # What was seen of a new generation's mold: how long it was there before it could fork, and its CPU time until then.
  MoldStart = Struct.new(:seconds, :cpu, keyword_init: true)

  # Asks a running server to refork and watches its processes until all workers are new. What it knows it has from
  # their titles, so that it looks at each server in the same way; an instant is known to within INTERVAL.
  class ReforkWatch
    SIGNAL = :USR2
    INTERVAL = 0.02
    TIMEOUT = 60

    attr_reader :seconds #: Float? -- from the signal until the last worker was replaced; nil before
    attr_reader :fewest_ready #: Integer -- workers that were there to serve, at the worst moment
    attr_reader :missing_seconds #: Float -- for how long one was missing; two that are missing count twice
    attr_reader :mold_start #: MoldStart? -- nil where it was not seen

    #: (RunningServer, ?interval: Numeric) -> void
    def initialize(server, interval: INTERVAL)
      @server = server
      @interval = interval
      first = server.tree
      @strangers = first.strangers
      @generation = first.select(&:worker?).filter_map(&:generation).max
      @fewest_ready = server.plan.workers
      @missing_seconds = 0.0
    end

    # Gives each look to the block. Raises Failure when there is an old worker left after TIMEOUT.
    #: () ?{ (ProcessTree) -> void } -> self
    def run
      began = @looked_at = now
      @server.signal(SIGNAL)
      watch(TIMEOUT) do |tree|
        yield tree if block_given?
        note_mold(tree)
        note_workers(ready_workers(tree).size)
        next unless replaced?(tree)

        @seconds = now - began
        return self
      end
      raise Failure, "#{@server.plan.label} has not reforked within #{TIMEOUT} s. Its log:\n#{@server.log}"
    end

    # Only looks, for so long: what looking costs, without a refork.
    #: (Numeric) ?{ (ProcessTree) -> void } -> void
    def watch(seconds)
      deadline = now + seconds
      while now < deadline
        tree = @server.tree(strangers: @strangers)
        yield tree if block_given?
        sleep @interval
      end
    end

    private

    # A process keeps its parent's title for the moment after its fork: it is no second worker.
    def ready_workers(tree) = tree.select { |entry| entry.worker? && entry.ready? }.uniq(&:name)

    def note_workers(ready)
      last, @looked_at = @looked_at, now
      @missing_seconds += [@server.plan.workers - ready, 0].max * (@looked_at - last)
      @fewest_ready = [@fewest_ready, ready].min
    end

    def replaced?(tree)
      tree.select(&:worker?).all? { |worker| new?(worker) } && ready_workers(tree).size >= @server.plan.workers
    end

    def note_mold(tree)
      return if @mold_start

      mold = tree.find { |entry| entry.mold? && new?(entry) } or return
      @mold_seen_at ||= now
      @mold_start = MoldStart.new(seconds: now - @mold_seen_at, cpu: mold.cpu) if mold.ready?
    end

    def new?(entry) = (entry.generation || @generation) > @generation

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
