# frozen_string_literal: true

# Runs in the monitor.

module Coppice
  class Monitor
    # Everybody the monitor is responsible for, and where the family stands: which
    # mold forks, which mold is a candidate, what was asked for. Facts and questions
    # only, so that decisions about it can be tested without a process.
    class Roster
      attr_reader :handles          #: Array[Handle] -- all that are not gone
      attr_accessor :target         #: Integer -- workers there should be
      attr_accessor :generation     #: Integer -- the committed one
      attr_accessor :mold           #: Handle? -- the committed mold
      attr_accessor :candidate      #: Handle? -- a mold that is not committed yet
      attr_accessor :trial          #: Handle? -- the first worker of the candidate
      attr_accessor :rehearsal      #: Handle | Symbol | nil -- the worker that warms a cold mold up; :due when there shall be one
      attr_accessor :unfitted       #: bool -- nobody has measured yet which garbage collector fits the application
      attr_accessor :refork_wanted  #: bool -- the user's USR2
      attr_accessor :refork_not_before #: Float -- back-off after a refork that failed
      attr_accessor :mold_not_before   #: Float -- the same for the replacement of a lost mold
      attr_accessor :failed_replacements #: Integer -- of a lost mold, since the last commit
      attr_accessor :killed_replacements #: Integer -- the same, of those that ended through no fault of their own, in a row
      attr_accessor :failed_spawns #: Integer -- children lost before they were ready, in a row; trials apart
      attr_accessor :first_requests_from #: Integer -- workers of this generation on ask themselves for a page first
      attr_accessor :crowded_trials #: Integer -- trials lost in a row that there may have been no room for
      attr_accessor :spawn_not_before #: Float
      attr_accessor :failed_services #: Integer -- service workers lost before they were ready, in a row
      attr_accessor :service_not_before #: Float
      attr_accessor :memory_total_kib #: Integer? -- what all processes together may use
      attr_accessor :memory_left_kib #: Integer? -- what is left of it; nil when nobody wants to know
      attr_accessor :stopping       #: Symbol? -- :gracefully or :at_once
      attr_accessor :leave_at       #: Float? -- until then a server that stops goes on serving
      attr_accessor :stop_deadline  #: Float?

      #: (target: Integer) -> void
      def initialize(target:)
        @handles = []
        @target = target
        @generation = 0
        @refork_wanted = false
        @refork_not_before = @mold_not_before = @spawn_not_before = @service_not_before = -Float::INFINITY
        @failed_replacements = @killed_replacements = @failed_spawns = @failed_services = @crowded_trials = @first_requests_from = 0
      end

      #: (Handle) -> Handle
      def add(handle)
        @handles << handle
        handle
      end

      # Forgets one that is gone, wherever it stood.
      #: (Handle) -> void
      def remove(handle)
        @handles.delete(handle)
        @mold = nil if @mold.equal?(handle)
        @rehearsal = nil if @rehearsal.equal?(handle)
      end

      #: (Integer) -> Handle?
      def by_pid(pid) = handles.find { |handle| handle.pid == pid }

      #: () -> Array[Handle]
      def workers = handles.select(&:worker?)

      #: () -> Array[Handle]
      def ready_workers = handles.select { |handle| handle.worker? && handle.ready? }

      #: () -> Handle?
      def service = handles.find { |handle| handle.role == :service }

      # Slots that nobody owns, not even somebody on the way out: below the target, and so many beyond it.
      #: (?beyond: Integer) -> Array[Integer]
      def empty_slots(beyond: 0) = (0...(target + beyond)).to_a - workers.map(&:nr)

      # The first slot beyond the wanted ones that nobody owns.
      #: () -> Integer
      def spare_slot = (target..).find { |nr| workers.none? { |worker| worker.nr == nr } }

      # Ready workers that a fresh fork of the committed mold shall replace: forked from an older one, waiting at the wrong
      # queues, or over a limit.
      #: () -> Array[Handle]
      def outdated_workers = ready_workers.select { |worker| worker.generation != generation || worker.misplaced || worker.worn }

      # How many of the wanted workers do not serve at this moment.
      #: () -> Integer
      def unavailable = target - ready_workers.count { |worker| worker.nr < target }

      # Every slot is served, by one generation, and nobody is there beyond them.
      #: () -> bool
      def settled? = candidate.nil? && filled? && workers.all? { |worker| worker.nr < target }

      # Every slot is served by one generation.
      #: () -> bool
      def filled? = unavailable <= 0 && outdated_workers.empty?

      # Whether the worker that nobody can reach is there, and warm.
      #: () -> bool
      def rehearsed? = @rehearsal.is_a?(Handle) && @rehearsal.ready?

      # Whether somebody serves clients.
      #: () -> bool
      def serving? = ready_workers.any? { |worker| !worker.equal?(@rehearsal) }

      # Whether the service was ever up: before that a failed boot is final.
      #: () -> bool
      def booted? = !@booted.nil?

      #: () -> void
      def booted! = @booted = true
    end
  end
end
