# frozen_string_literal: true

require "forwardable"
require "coppice/monitor/kernel/backoff"
require "coppice/monitor/state/children"
require "coppice/monitor/state/handshakes"
require "coppice/monitor/state/heir"
require "coppice/monitor/state/stop"
require "coppice/monitor/state/succession"

module Coppice
  class Monitor
    # All children of the monitor, and the state of the server: what was asked for, what failed, which releases there
    # are, how far a stop has come. Which mold forks is a matter of its Succession. Facts and questions only, so that
    # decisions about it can be tested without a process.
    class Roster
      extend Forwardable

      RELEASES_KEPT = 10 # that a rollback can go back to

      # How much memory the server has room for, in KiB. total: what all processes together may use; nil if unknown.
      # left: of it; nil if unknown, or nothing depends on it. largest_worker: what any worker had of its own when this
      # was last looked at. boot_peak: the most that the last cold boot took; nil before one is over.
      Headroom = Struct.new(:total, :left, :largest_worker, :boot_peak, keyword_init: true)

      attr_reader :succession       #: Succession
      attr_reader :children         #: Children
      attr_reader :handshakes       #: Handshakes
      attr_reader :heir             #: Heir
      attr_accessor :wanted         #: Integer -- number of workers that were asked for
      attr_reader :releases         #: Array[Release] -- committed ones, oldest first; the last one runs
      attr_accessor :roll           #: Roll? -- the last one that was asked for
      attr_accessor :roll_refused_at #: Float? -- when a roll could last not begin that a signal had asked for
      attr_reader :kept             #: Handle? -- the mold of the release before, for a rollback
      attr_reader :kept_until       #: Float?
      attr_accessor :held_back      #: Integer -- slots that are left empty for a lean roll
      attr_reader :spawns           #: Backoff -- of workers; trials do not count
      attr_reader :observers        #: Backoff
      attr_reader :lobbies          #: Backoff
      attr_accessor :observer_release #: Release? -- whose configuration the observer has
      attr_reader :headroom #: Headroom
      # Since when about as many processes share memory as now (monotonic seconds); nil before a generation is complete.
      attr_accessor :sharing_since #: Float?
      attr_reader :stop             #: Stop
      attr_accessor :lobby_wanted   #: bool -- clients come to a lobby, and workers need a seat there
      attr_accessor :listening      #: bool -- clients can connect
      attr_accessor :log_level      #: Integer -- the lowest that is logged, as in Log::LEVELS
      attr_accessor :give_up_reason #: String? -- why the server cannot go on

      def_delegators :succession, :mold, :candidate, :trial, :generation, :next_generation, :reforks, :replacements,
                     :rehearsal_due, :booted?, :mold_usage

      #: (target: Integer, release: Release) -> void
      def initialize(target:, release:)
        @succession = Succession.new
        @children = Children.new
        @heir = Heir.new
        @handshakes = Handshakes.new
        @handshakes.adopt(release.settings)
        @wanted = target
        @releases = [release]
        @last_release_number = release.number
        @first_requests = {} # by release
        @lobby_wanted = @listening = false
        @spawns = Backoff.new
        @service_backoffs = Hash.new { |backoffs, name| backoffs[name] = Backoff.new }
        @observers = Backoff.new
        @lobbies = Backoff.new
        @stop = Stop.new
        @headroom = Headroom.new(largest_worker: 0)
        @held_back = 0
        add_groups
      end

      # :gracefully or :at_once once the server was told to stop.
      #: () -> Symbol?
      def stopping = stop.how

      # Number of workers that there should be now: a lean roll holds some back, and leaves one at least.
      #: () -> Integer
      def target = [wanted - held_back, 1].max

      # The committed release.
      #: () -> Release
      def release = releases.last

      # Its settings.
      #: () -> Config::Settings
      def settings = release.settings

      # The settings of the release whose code a child runs.
      #: (Handle) -> Config::Settings
      def settings_of(handle) = (handle.release || release).settings

      # The release that a rollback goes back to.
      #: () -> Release?
      def earlier_release = releases[-2]

      # How long the committed release's first requests took; nil for the one that the server began with, and where
      # only one of its trial and this one has served warm-up requests before.
      #: (Handle) -> Canary::FirstRequests?
      def first_requests_beside(trial)
        times = @first_requests[release.number]
        times if times && times.warmed? == trial.warms_up?
      end

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

      #: (Handle) -> Handle
      def add(handle) = children.add(handle)

      # Forgets a child that is gone.
      #: (Handle) -> void
      def remove(handle)
        children.remove(handle)
        succession.lose(handle)
        take_kept if @kept.equal?(handle)
      end

      # All children that are not gone.
      #: () -> Array[Handle]
      def handles = children.all

      #: () -> Array[Handle]
      def workers = children[:workers].to_a

      # One that is rehearsed is among them.
      #: () -> Array[Handle]
      def ready_workers = children[:ready_workers].to_a

      # Ready workers that have got a signal: they are about to leave, unless the whole server stops.
      #: () -> Array[Handle]
      def signalled_workers = children[:signalled].to_a.select { |handle| handle.worker? && handle.ready? }

      # Workers that get clients.
      #: () -> Array[Handle]
      def serving_workers = children[:serving_workers].to_a

      #: () -> Array[Handle]
      def services = children[:services].to_a

      # The services that there should be.
      #: () -> Array[Config::ServiceDefinition]
      def service_definitions = settings.services + handshakes.detected

      # The one of this name that has no successor yet; without a name the service worker.
      #: (?String?) -> Handle?
      def service(name = nil) = services.find { |handle| handle.service.name == name && !handle.passed_on? }

      #: (String?) -> Backoff
      def service_backoff(name) = @service_backoffs[name]

      # The pause of a child whose successor is delayed after each exit (see Roles).
      #: (Handle) -> Backoff
      def backoff_of(handle) = handle.service ? service_backoff(handle.service.name) : observers

      # Before these times nothing is tried again (monotonic seconds).
      #: () -> Array[Float]
      def pauses
        [spawns, reforks, replacements, succession.early_losses, observers, lobbies, *@service_backoffs.values]
          .map(&:not_before)
      end

      # The mold, if it can fork a worker or a service, and has no more than so many of them still to fork.
      #: (?in_flight: Integer) -> Handle?
      def available_mold(in_flight: 0)
        return if mold.nil? || !mold.ready?

        mold if requested_of(mold).size <= in_flight
      end

      # The children that this one was told to fork, and may not have forked yet.
      #: (Handle) -> Array[Handle]
      def requested_of(handle)
        children[:unforked].to_a.select { |child| child.requested? && child.parent.equal?(handle) }
      end

      #: () -> Handle?
      def observer = children[:observers].to_a.first

      #: () -> LobbyHandle?
      def lobby = children[:lobbies].to_a.first

      # Whether a worker that is forked now can be given clients.
      #: () -> bool
      def seats? = !lobby_wanted || lobby&.ready? == true

      # Workers that serve clients, and have no seat at the present lobby.
      #: () -> Array[Handle]
      def unseated_workers = lobby&.ready? ? children[:unseated].to_a : []

      # The worker that is rehearsed; nil before it was asked for and once it was told to exit.
      #: () -> Handle?
      def rehearsal = children[:rehearsals].to_a.first

      # Whether a cold mold's worker is rehearsed, or is to be.
      #: () -> bool
      def rehearsing? = rehearsal_due || !rehearsal.nil?

      # The first slot that no worker owns, not even one that is leaving: below the target, or so many beyond it.
      #: (?beyond: Integer) -> Integer?
      def empty_slot(beyond: 0)
        slot = children.slots.first_empty
        slot if slot < target + beyond
      end

      # The first slot beyond the target that no worker owns.
      #: () -> Integer
      def spare_slot = children.slots.first_empty_from(target)

      # Ready workers that a fresh fork of the committed mold must replace: forked from another mold, accepting from
      # other queues than they should, or over a limit. An abandoned candidate may have left a worker of the same
      # generation and of another release.
      #: () -> Array[Handle]
      def outdated_workers = @outdated.to_a

      #: (Handle) -> bool
      def outdated?(worker) = @outdated.include?(worker)

      # Number of wanted workers that do not serve at this moment.
      #: () -> Integer
      def unavailable = target - @in_wanted_slots.size

      # Every slot is served by one generation, no promotion is under way, and no worker exists beyond the target.
      #: () -> bool
      def settled? = candidate.nil? && filled? && @surplus.empty?

      # Those beyond the target, which are there during a rollout.
      #: () -> Array[Handle]
      def surplus_workers = @surplus.to_a

      # Every slot is served by one generation.
      #: () -> bool
      def filled? = unavailable <= 0 && @outdated.empty?

      # Whether a process has measured its memory since about as many share it as now.
      #: (Handle) -> bool
      def measured?(handle) = !sharing_since.nil? && handle.row.measured_ms > sharing_since * 1000

      # Whether any worker gets clients.
      #: () -> bool
      def serving? = !children[:serving_workers].empty?

      private

      def add_groups
        @outdated = children.group(basis: -> { [generation, release.number] }) { |handle| must_be_replaced?(handle) }
        @in_wanted_slots = children.group(basis: method(:target)) do |handle|
          handle.worker? && handle.ready? && handle.nr < target
        end
        @surplus = children.group(basis: method(:target)) { |handle| handle.worker? && handle.nr >= target }
      end

      def must_be_replaced?(handle)
        return false unless handle.worker? && handle.ready?

        handle.generation != generation || !of_release?(handle) || handle.wrong_queues || handle.over_limit
      end
    end
  end
end
