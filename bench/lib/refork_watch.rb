# frozen_string_literal: true

require_relative "process_tree"

module Bench
  # The start of a new generation's mold: the time until it could fork, and its CPU time until then.
  MoldStart = Struct.new(:seconds, :cpu, keyword_init: true)

  # Asks a running server to refork and watches its processes until all workers are new. It reads the process titles, in
  # the same way for each server. Times are exact to within INTERVAL.
  class ReforkWatch
    SIGNAL = :USR2
    INTERVAL = 0.02 # seconds
    TIMEOUT = 60 # seconds

    attr_reader :seconds #: Float? -- from the signal until the last worker was replaced; nil before
    attr_reader :fewest_ready #: Integer -- lowest number of ready workers
    attr_reader :missing_seconds #: Float -- time with one worker missing; two missing workers count twice
    attr_reader :mold_start #: MoldStart? -- nil if the mold was not seen

    #: (RunningServer, ?interval: Numeric) -> void
    def initialize(server, interval: INTERVAL)
      @server = server
      @interval = interval
      first = server.tree
      @unrelated = first.unrelated_pids
      @generation = first.select(&:worker?).filter_map(&:generation).max
      @fewest_ready = server.plan.fewest_workers
      @missing_seconds = 0.0
    end

    # Yields each process tree. Raises Failure if an old worker is left after TIMEOUT.
    #: () ?{ (ProcessTree) -> void } -> self
    def run
      began = @looked_at = Bench.now
      @server.signal(SIGNAL)
      watch(TIMEOUT) do |tree|
        yield tree if block_given?
        note_mold(tree)
        note_workers(tree.ready_workers.size)
        next unless replaced?(tree)

        @seconds = Bench.now - began
        return self
      end
      raise Failure, "#{@server.plan.label} has not reforked within #{TIMEOUT} s. Its log:\n#{@server.log}"
    end

    # Only watches, for that many seconds. So the baseline includes the cost of watching.
    #: (Numeric) ?{ (ProcessTree) -> void } -> void
    def watch(seconds)
      deadline = Bench.now + seconds
      while Bench.now < deadline
        tree = @server.tree(unrelated: @unrelated)
        yield tree if block_given?
        sleep @interval
      end
    end

    private

    def note_workers(ready)
      last, @looked_at = @looked_at, Bench.now
      @missing_seconds += [@server.plan.fewest_workers - ready, 0].max * (@looked_at - last)
      @fewest_ready = [@fewest_ready, ready].min
    end

    def replaced?(tree)
      tree.select(&:worker?).all? { |worker| new?(worker) } && tree.ready_workers.size >= @server.plan.fewest_workers
    end

    def note_mold(tree)
      return if @mold_start

      mold = tree.find { |entry| entry.mold? && new?(entry) } or return
      @mold_seen_at ||= Bench.now
      @mold_start = MoldStart.new(seconds: Bench.now - @mold_seen_at, cpu: mold.cpu) if mold.ready?
    end

    def new?(entry) = (entry.generation || @generation) > @generation
  end
end
