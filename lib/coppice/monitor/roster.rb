# frozen_string_literal: true

require "coppice/monitor/backoff"
require "coppice/monitor/fork_failures"

module Coppice
  class Monitor
    # All children of the monitor, and the state of the server: which mold forks, which mold is a candidate, what was
    # asked for, what failed. Facts and questions only, so that decisions about it can be tested without a process.
    class Roster
      RELEASES_KEPT = 10 # that a rollback can go back to
      SEATS = 2048 # COPPICE_LOBBY_SEATS
      SPARE_SEATS = 64 # how many times a worker must be replaced until a seat is given again

      # Of a mold: whether it has booted the application, its resident KiB, and the CPU time that it has taken.
      MoldUsage = Struct.new(:cold, :rss_kib, :cpu_ms) do
        #: (Handle) -> MoldUsage
        def self.of(mold) = new(mold.cold?, mold.row.rss_kib, mold.row.cpu_ms)
      end

      attr_reader :handles          #: Array[Handle] -- all children that are not gone
      attr_accessor :wanted         #: Integer -- number of workers that were asked for
      attr_reader :generation       #: Integer -- the committed one
      attr_reader :releases         #: Array[Release] -- committed ones, oldest first; the last one runs
      attr_accessor :roll           #: Roll? -- the last one that was asked for
      attr_reader :kept             #: Handle? -- the mold of the release before, for a rollback
      attr_reader :kept_until       #: Float?
      attr_accessor :held_back      #: Integer -- slots that are left empty for a lean roll
      attr_accessor :boot_peak_kib  #: Integer? -- the most memory that the last cold boot took
      attr_reader :mold             #: Handle? -- the committed mold
      attr_accessor :candidate      #: Handle? -- a mold that is not committed yet
      attr_accessor :trial          #: Handle? -- the first worker of the candidate
      attr_accessor :rehearsal_due  #: bool -- the cold mold's first worker is to be rehearsed
      attr_accessor :gc_unmeasured  #: bool -- boot once more when a rehearsal has measured what fits
      attr_accessor :refork_wanted  #: bool -- USR2 asked for a refork
      attr_reader :spawns           #: Backoff -- of workers; trials do not count
      attr_reader :fork_failures    #: ForkFailures -- of warm molds
      attr_reader :observers        #: Backoff
      attr_reader :lobbies          #: Backoff
      attr_reader :reforks          #: Backoff
      attr_reader :replacements     #: Backoff -- of a lost mold
      attr_accessor :killed_replacements #: Integer -- in a row, of a lost mold: candidates that were killed
      attr_accessor :killed_trials #: Integer -- in a row: trials killed or never forked; memory may be short
      attr_accessor :first_requests_from #: Integer -- first generation whose workers reconnect before they are ready
      attr_accessor :memory_total_kib #: Integer? -- what all processes together may use
      attr_accessor :memory_left_kib #: Integer? -- what is left of it; nil if unknown, or nothing depends on it
      attr_reader :abandonments     #: Integer -- how many candidates were abandoned
      attr_reader :abandoned_for    #: String? -- why the last one was
      attr_accessor :stopping       #: Symbol? -- :gracefully or :at_once
      attr_accessor :stop_delayed_until #: Float? -- until then a server that was told to stop serves in any case
      attr_accessor :stop_begins_at #: Float? -- until then it serves, if services are left
      attr_accessor :stop_deadline  #: Float?
      attr_accessor :refusing_since #: Float? -- when the server began to refuse new connections
      attr_accessor :connecting     #: Integer -- clients that had begun to connect before, and still do
      attr_accessor :lobby_deadline #: Float? -- from then on a server that stops does not wait for its lobby
      attr_accessor :lobby_wanted   #: bool -- clients come to a lobby, and workers need a seat there
      attr_accessor :listening      #: bool -- clients can connect
      attr_accessor :log_level      #: Integer -- the lowest that is logged, as in Log::LEVELS
      attr_accessor :give_up_reason #: String? -- why the server cannot go on

      #: (target: Integer, release: Release) -> void
      def initialize(target:, release:)
        @handles = []
        @left_seats = [] # numbers, the one that was left last at the end
        @wanted = target
        @releases = [release]
        @last_release_number = release.number
        @first_requests = {} # by release
        @generation = @highest_generation = @held_back = 0
        @refork_wanted = @rehearsal_due = @lobby_wanted = @listening = false
        @spawns = Backoff.new
        @fork_failures = ForkFailures.new
        @service_backoffs = Hash.new { |backoffs, name| backoffs[name] = Backoff.new }
        @observers = Backoff.new
        @lobbies = Backoff.new
        @reforks = Backoff.new
        @replacements = Backoff.new
        @killed_replacements = @killed_trials = @first_requests_from = @abandonments = @connecting = 0
      end

      # Number of workers that there should be now: a lean roll holds some back, and leaves one at least.
      #: () -> Integer
      def target = [wanted - held_back, 1].max

      # The one that is committed.
      #: () -> Release
      def release = releases.last

      # Its settings.
      #: () -> Config::Settings
      def settings = release.settings

      # Those of the release whose code a child runs.
      #: (Handle) -> Config::Settings
      def settings_of(handle) = (handle.release || release).settings

      # The one that a rollback goes back to.
      #: () -> Release?
      def earlier_release = releases[-2]

      # How long the committed release's first requests took; nil for the one that the server began with.
      #: () -> Canary::FirstRequests?
      def first_requests = @first_requests[release.number]

      #: (Canary::FirstRequests?) -> void
      def note_first_requests(requests)
        @first_requests.keep_if { |number, _| releases.any? { |release| release.number == number } }
        @first_requests[release.number] = requests if requests
      end

      # Of all that were prepared, committed or not.
      #: () -> Integer
      def next_release_number = @last_release_number += 1

      # Whether a process runs the code of the committed release.
      #: (Handle) -> bool
      def of_release?(handle) = handle.release.number == release.number

      # back: this release takes the place of the one before the last.
      #: (Release, back: bool) -> void
      def enter_release(release, back:)
        releases.pop(2) if back
        releases.shift if releases.size == RELEASES_KEPT
        releases << release
      end

      # The release before is the committed one again.
      #: () -> void
      def leave_release = releases.pop

      # Keeps the mold of the release before, until a time (monotonic seconds).
      #: (Handle, Float) -> void
      def keep(mold, time)
        @kept = mold
        @kept_until = time
      end

      # The kept mold is the committed one from now on.
      #: () -> Handle?
      def take_kept = @kept.tap { @kept = @kept_until = nil }

      # After a rollback it is lower than before. No two generations have the same number.
      #: (Integer) -> void
      def generation=(number)
        @generation = number
        @highest_generation = [@highest_generation, number].max
      end

      #: () -> Integer
      def next_generation = @highest_generation + 1

      # The candidate is given up.
      #: (String) -> void
      def abandon_candidate(reason)
        @candidate = @trial = nil
        @abandonments += 1
        @abandoned_for = reason
      end

      #: (Handle) -> Handle
      def add(handle)
        @handles << handle
        handle
      end

      #: (Handle?) -> void
      def mold=(handle)
        @mold_usage = mold_usage
        @mold = handle
      end

      # What the mold of this generation has measured of itself; also when it is gone. A temporary mold has measured
      # nothing that tells of a refork. nil before the first mold is ready.
      #: () -> MoldUsage?
      def mold_usage = mold&.ready_at && !mold.temporary? ? MoldUsage.of(mold) : @mold_usage

      # Forgets a child that is gone.
      #: (Handle) -> void
      def remove(handle)
        @handles.delete(handle)
        @left_seats << @left_seats.delete(handle.seat.number) { handle.seat.number } if handle.seat
        self.mold = nil if @mold.equal?(handle)
        take_kept if @kept.equal?(handle)
      end

      #: (Integer) -> Handle?
      def by_pid(pid) = handles.find { |handle| handle.pids.include?(pid) }

      #: () -> Array[Handle]
      def workers = handles.select(&:worker?)

      #: () -> Array[Handle]
      def ready_workers = handles.select { |handle| handle.worker? && handle.ready? }

      #: () -> Array[Handle]
      def services = handles.select(&:service?)

      # The one of this name; without a name the service worker.
      #: (?String?) -> Handle?
      def service(name = nil) = services.find { |handle| handle.service.name == name }

      #: (?String?) -> Backoff
      def service_backoff(name = nil) = @service_backoffs[name]

      # Before these times nothing is tried again (monotonic seconds).
      #: () -> Array[Float]
      def pauses = [spawns, reforks, replacements, observers, lobbies, *@service_backoffs.values].map(&:not_before)

      # The mold, if it can fork a worker or a service and forks nothing at this moment: it forks one child after the
      # other, and the deadline of a fork must cover that fork alone.
      #: () -> Handle?
      def idle_mold
        return if mold.nil? || !mold.ready?
        return if rehearsing? && !serving? # the warm mold forks the first workers

        mold unless handles.any? { |handle| handle.requested? && handle.parent.equal?(mold) }
      end

      #: () -> Handle?
      def observer = handles.find(&:observer?)

      #: () -> LobbyHandle?
      def lobby = handles.find(&:lobby?)

      # Whether a worker that is forked now can be given clients.
      #: () -> bool
      def seats? = !lobby_wanted || lobby&.ready? == true

      # The number that no worker has for longest, and of those that none ever had the lowest. The lobby knows by its
      # seat what a worker has taken. If a loop that stands still hears of a death late, a successor on the same seat
      # may have taken requests, and they would count as lost with the dead worker.
      #: () -> Integer
      def free_seat
        taken = handles.filter_map { |handle| handle.seat&.number }
        numbers = (0...[taken.size + SPARE_SEATS, SEATS].min).to_a - taken
        numbers.min_by { |number| [@left_seats.index(number) || -1, number] }
      end

      # Workers that serve clients, and have no seat at the present lobby.
      #: () -> Array[Handle]
      def unseated_workers
        return [] unless lobby&.ready?

        workers.select { |worker| worker.seat.nil? && !worker.rehearsing? && !worker.leaving? }
      end

      #: () -> Array[Handle]
      def guests = handles.select(&:guest?)

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

      # Ready workers that a fresh fork of the committed mold must replace: forked from another mold, accepting from
      # other queues than they should, or over a limit. An abandoned candidate may have left a worker of the same
      # generation and of another release.
      #: () -> Array[Handle]
      def outdated_workers
        ready_workers.select do |worker|
          worker.generation != generation || !of_release?(worker) || worker.wrong_queues || worker.over_limit
        end
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
