# frozen_string_literal: true

require "coppice/monitor/backoff"

module Coppice
  class Monitor
    # All children of the monitor, and the state of the server: which mold forks, which mold is a candidate, what was
    # asked for, what failed. Facts and questions only, so that decisions about it can be tested without a process.
    class Roster
      attr_reader :handles          #: Array[Handle] -- all children that are not gone
      attr_accessor :target         #: Integer -- number of workers wanted
      attr_accessor :generation     #: Integer -- the committed one
      attr_accessor :mold           #: Handle? -- the committed mold
      attr_accessor :candidate      #: Handle? -- a mold that is not committed yet
      attr_accessor :trial          #: Handle? -- the first worker of the candidate
      attr_accessor :rehearsal_due  #: bool -- the cold mold's first worker is to be rehearsed
      attr_accessor :gc_unmeasured  #: bool -- no rehearsal has measured yet what fits the garbage collector
      attr_accessor :refork_wanted  #: bool -- USR2 asked for a refork
      attr_reader :spawns           #: Backoff -- of workers; trials do not count
      attr_reader :services         #: Backoff -- of service workers
      attr_reader :reforks          #: Backoff
      attr_reader :replacements     #: Backoff -- of a lost mold
      attr_accessor :killed_replacements #: Integer -- in a row, of a lost mold: candidates that were killed
      attr_accessor :killed_trials #: Integer -- in a row: trials killed or never forked; memory may be short
      attr_accessor :first_requests_from #: Integer -- first generation whose workers make a request to themselves
      attr_accessor :memory_total_kib #: Integer? -- what all processes together may use
      attr_accessor :memory_left_kib #: Integer? -- what is left of it; nil when nothing depends on it
      attr_accessor :stopping       #: Symbol? -- :gracefully or :at_once
      attr_accessor :stop_begins_at #: Float? -- until then a server that was told to stop goes on serving
      attr_accessor :stop_deadline  #: Float?
      attr_accessor :give_up_reason #: String? -- why the server cannot go on

      #: (target: Integer) -> void
      def initialize(target:)
        @handles = []
        @target = target
        @generation = 0
        @refork_wanted = @rehearsal_due = false
        @spawns = Backoff.new
        @services = Backoff.new
        @reforks = Backoff.new
        @replacements = Backoff.new
        @killed_replacements = @killed_trials = @first_requests_from = 0
      end

      #: (Handle) -> Handle
      def add(handle)
        @handles << handle
        handle
      end

      # Forgets a child that is gone.
      #: (Handle) -> void
      def remove(handle)
        @handles.delete(handle)
        @mold = nil if @mold.equal?(handle)
      end

      #: (Integer) -> Handle?
      def by_pid(pid) = handles.find { |handle| handle.pid == pid }

      #: () -> Array[Handle]
      def workers = handles.select(&:worker?)

      #: () -> Array[Handle]
      def ready_workers = handles.select { |handle| handle.worker? && handle.ready? }

      #: () -> Handle?
      def service = handles.find { |handle| handle.role == :service }

      # The worker that is rehearsed; nil before it was asked for and once it was told to exit.
      #: () -> Handle?
      def rehearsal = handles.find { |handle| handle.rehearsing? && !handle.leaving? }

      # Whether a cold mold's worker is rehearsed, or is to be.
      #: () -> bool
      def rehearsing? = rehearsal_due || !rehearsal.nil?

      # Slots that no worker owns, not even one that is leaving: below the target, and this many beyond it.
      #: (?beyond: Integer) -> Array[Integer]
      def empty_slots(beyond: 0) = (0...(target + beyond)).to_a - workers.map(&:nr)

      # The first slot beyond the target that no worker owns.
      #: () -> Integer
      def spare_slot = (target..).find { |nr| workers.none? { |worker| worker.nr == nr } }

      # Ready workers that a fresh fork of the committed mold must replace: forked from an older mold, accepting from
      # other queues than they should, or over a limit.
      #: () -> Array[Handle]
      def outdated_workers
        ready_workers.select { |worker| worker.generation != generation || worker.wrong_queues || worker.over_limit }
      end

      # Number of wanted workers that do not serve at this moment.
      #: () -> Integer
      def unavailable = target - ready_workers.count { |worker| worker.nr < target }

      # Every slot is served by one generation, no promotion is under way, and no worker exists beyond the target.
      #: () -> bool
      def settled? = candidate.nil? && filled? && workers.all? { |worker| worker.nr < target }

      # Every slot is served by one generation.
      #: () -> bool
      def filled? = unavailable <= 0 && outdated_workers.empty?

      # Whether any worker serves clients.
      #: () -> bool
      def serving? = ready_workers.any? { |worker| !worker.rehearsing? }

      # Whether a mold was ever committed: before that a failed boot is final.
      #: () -> bool
      def booted? = !@booted.nil?

      #: () -> void
      def booted! = @booted = true
    end
  end
end
