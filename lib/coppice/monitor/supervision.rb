# frozen_string_literal: true

require "coppice/monitor/act/actions"
require "coppice/monitor/context"
require "coppice/monitor/decisions"
require "coppice/monitor/workers/elasticity"
require "coppice/monitor/learn/facts"
require "coppice/monitor/decide/memory_look"
require "coppice/monitor/decide/refusal"
require "coppice/monitor/rolls/rolls"
require "coppice/monitor/state/roster"
require "coppice/monitor/workers/sizing"
require "coppice/monitor/statistics"

module Coppice
  class Monitor
    # Supervises all children: it receives facts, makes decisions and carries out actions. All system calls go through
    # `system`, and listeners, cold molds, the observer, the lobby, hooks and releases are reached only through `port`,
    # `spawner`, `observers`, `lobbies`, `hooks` and `releases`, so that tests can replace them.
    class Supervision
      TICK = 1.0 # seconds between two looks at the board when nothing happens
      IMMEDIATE_STOP_TIME = 1.0 # seconds that children have to exit in an immediate stop

      attr_reader :roster      #: Roster
      attr_reader :rolls       #: Rolls
      attr_reader :exit_status #: Integer -- of the server

      #: (system: System, board: Board, rows: RowPool, port: ServingPort, spawner: MoldSpawner,
      #    observers: ObserverSpawner, lobbies: LobbySpawner, hooks: UserHooks, keeper: StateKeeper,
      #    releases: Releases, log: Log) -> void
      def initialize(system:, board:, rows:, port:, spawner:, observers:, lobbies:, hooks:, keeper:, releases:, log:)
        @system = system
        @board = board
        @port = port
        @releases = releases
        @hooks = hooks
        @keeper = keeper
        @log = log
        @release = releases.first
        @sizing = Sizing.new(settings, processors: system.processors, memory_total_kib: system.memory_total_kib)
        @exit_status = 0
        @roster = Roster.new(target: @sizing.first_target, release: @release)
        describe_server(spawner)
        board.workers_count = @roster.target
        @memory = MemoryLook.new(system, @roster)
        @demand = Elasticity::Demand.new(system, board, port)
        @statistics = Statistics.new(system: system, board: board, roster: @roster, port: port)
        context = Context.new(system: system, board: board, rows: rows, port: port, hooks: hooks, keeper: keeper,
                              log: log, roster: @roster, statistics: @statistics)
        @actions = Actions.new(context, spawner: spawner, observers: observers, lobbies: lobbies)
        @facts = Facts.new(context)
        @rolls = Rolls.new(context, releases: releases, actions: @actions)
        list_decisions
        warn_of_unknown_memory
      end

      # Receives the messages of the given children, and reaps those that have exited. signalled: whether CHLD has
      # come.
      #: (Array[Handle], ?signalled: bool) -> void
      def learn(handles, signalled: true)
        handles.each { |handle| @facts.receive_from(handle) unless handle.gone? }
        @facts.reap(signalled: signalled)
      end

      # Receives all that any child has reported by now. It asks every channel: only for what happens rarely.
      #: () -> void
      def learn_all = learn(roster.handles.reject { |handle| handle.channel.closed? })

      # Decides and acts, by what it has learned.
      #: () -> void
      def turn
        @rolls.advance
        now = @system.now
        advance_stop(now) if roster.stopping
        @memory.look(now)
        decide(now)
        note_trial
        note_bounds
        @statistics.turned(now, @decisions.promotion.method(:ledger))
        give_up if roster.give_up_reason && @exit_status.zero?
      end

      # Seconds until something is due, at most a tick.
      #: () -> Float
      def seconds_until_due
        now = @system.now
        due = [*roster.stop.times, *roster.pauses, @facts.due_at, @statistics.due_at, *@decisions.times(now),
               *(now + Board::TRIAL_LOOK_SECONDS if roster.trial&.ready?),
               *(now + Refusal::PAUSE if Refusal.waiting?(roster, now))]
        due.compact.select { |at| at > now }.push(now + TICK).min - now
      end

      #: () -> bool
      def finished? = !roster.stopping.nil? && roster.handles.empty?

      # TERM, QUIT and HUP.
      #: () -> void
      def stop_gracefully = stop(:gracefully, delay: @port.open? ? settings.shutdown_delay : 0)

      # :gracefully serves on for `delay` seconds, and until the services have exited, then has workers serve all
      # clients that have connected. :at_once does neither.
      #: (Symbol, ?delay: Numeric) -> void
      def stop(how, delay: 0)
        return if roster.stopping == :at_once || roster.stopping == how

        @log.info("stopping", how: how, **(delay.zero? ? {} : { in: delay }), **awaited(how))
        @board.shutting_down = 1
        roster.stop.how = how
        roster.stop.delayed_until = @system.now + delay
        let_exit_at(roster.stop.delayed_until + (how == :at_once ? 0 : [time_for_services - delay, 0].max))
        roster.handles.each { |handle| @actions.interrupt(handle, roster.stop.deadline) } if how == :at_once
      end

      # The lowest level that children log, for the one that does not read it on the board.
      #: (Symbol) -> void
      def log_level=(name)
        roster.log_level = Log::LEVELS.fetch(name)
      end

      # USR2: a new generation as soon as there can be one.
      #: () -> void
      def refork
        @log.info("refork requested")
        waits = @decisions.promotion.awaits_template?(roster)
        @log.warn("the refork waits until a fork-safe worker has served a request") if waits
        roster.succession.ask(@system.now)
      end

      # TTIN and TTOU: one slot more or one less.
      #: (Integer) -> void
      def resize(difference)
        @sizing.shift(difference)
        wish_for(roster.wanted + difference)
      end

      # This number, whatever the load is.
      #: (Integer) -> void
      def resize_to(target)
        @sizing.fix
        wish_for(target)
      end

      # As many as the configuration says.
      #: (?Symbol) -> void
      def follow_configuration(why = :asked)
        @sizing.follow(settings)
        wish_for(@sizing.first_target(roster.wanted), why)
      end

      # A fresh fork is to replace this worker.
      #: (Handle) -> void
      def recycle(worker) = @actions.perform([Steps::Recycle.new(worker, { why: :asked })], @system.now)

      # Has the mold fork a guest. Raises Error when there can be none.
      #: (Hash[Symbol, IO], GuestClient) -> void
      def start_guest(descriptors, client)
        @actions.perform([@decisions.guests.admit(roster, descriptors, client)], @system.now)
        raise Error, "the system has no descriptor left for a guest" unless client.handle
      end

      # Sends a signal to a guest's process group.
      #: (Handle, Symbol) -> void
      def signal_guest(handle, name) = @actions.signal_guest(handle, name)

      private

      # Between 1 and the largest number that there may be.
      def wish_for(target, why = :asked)
        target = target.clamp(1, Config::Types::WorkerCount::MAXIMUM)
        return if roster.stopping || target == roster.wanted

        @actions.perform([Steps::Resize.new(target, { why: why })], @system.now)
      end

      # The fields of the log line that say for whom the server waits.
      def awaited(how)
        services = how == :at_once ? [] : roster.services.map { |handle| handle.service.name || "service" }
        { waits_for_guests: roster.guests.filter_map(&:pid), waits_for_services: services }
          .reject { |_, names| names.empty? }.transform_values { |names| names.join(" ") }
      end

      def let_exit_at(time)
        longest = roster.stopping == :at_once ? IMMEDIATE_STOP_TIME : time_for_workers
        roster.stop.begin_exits_at(time, longest: longest, behind_lobby: settings.timeout)
      end

      # Those of the release before may have more time than the others.
      def time_for_workers
        in_use = [settings, *roster.workers.map { |worker| roster.settings_of(worker) }].uniq
        in_use.map { |each| each.timeout + each.hard_timeout }.max
      end

      # From TERM until each of them was killed.
      def time_for_services
        roster.services.map { |handle| handle.service.timeout + (2 * Watchdog::GRACE) }.max || 0
      end

      # Nobody waits any more once all services have exited.
      def advance_stop(now)
        earliest = [roster.stop.delayed_until, now].max
        let_exit_at(earliest) if earliest < roster.stop.exits_begin_at && roster.services.empty?
      end

      # After the commit of a release all decisions are made anew, by its settings.
      def decide(now)
        @decisions.due(roster, now).each do |decision|
          steps = decision.next(roster, now)
          next if steps.empty?

          @actions.perform(steps, now)
          next if @release.equal?(roster.release)

          enter_release
          return decide(now)
        end
      end

      def settings = @release.settings

      def note_bounds
        @board.workers_least, @board.workers_most = @sizing.bounds&.minmax || [roster.wanted, roster.wanted]
      end

      def note_trial
        counts = @decisions.promotion.counts_of_trial(roster)
        @board.trial_watched = counts ? 1 : 0
        @statistics.tried(counts) if counts
      end

      # From the commit of a release on the monitor decides by its settings, calls its hooks and is in its directory.
      def enter_release
        before, @release = @release, roster.release
        roster.succession.gc_unmeasured = false
        @releases.adopt(@release)
        @hooks.adopt(settings)
        @keeper.adopt(@release)
        @board.services = settings.service_names
        adopt_level(before.settings)
        adopt_size(before.settings)
        list_decisions
      end

      # What a user has set in the running server stays, unless the release brings another value.
      def adopt_level(before)
        self.log_level = settings.log_level unless settings.log_level == before.log_level
      end

      def adopt_size(before)
        return if settings.worker_processes == before.worker_processes

        follow_configuration(:release)
      end

      def describe_server(spawner)
        @roster.succession.gc_unmeasured = spawner.worth_fitting?(@release)
        @roster.headroom.total = @system.memory_total_kib
        @roster.lobby_wanted = @port.with_lobby.any?
        self.log_level = settings.logger ? :debug : settings.log_level
      end

      def list_decisions
        elasticity = Elasticity.new(@sizing, @demand, @system)
        @decisions = Decisions.new(settings, board: @board, sizing: @sizing, elasticity: elasticity,
                                             requests_waiting: @demand.method(:requests_waiting),
                                             baseline: @statistics.method(:recent_counts))
      end

      def warn_of_unknown_memory
        limit = settings.worker_memory_limit
        return if limit.nil? || Config::Types::MemoryLimit.kib(limit, roster.headroom.total)

        @log.warn("worker_memory_limit has no effect: it is a share, and the amount of memory is unknown",
                  file: Memory::AvailableMemory::MEMINFO)
      end

      def give_up
        @log.fatal("giving up", why: roster.give_up_reason)
        @exit_status = 1
        stop(:gracefully)
      end
    end
  end
end
