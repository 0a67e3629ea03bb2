# frozen_string_literal: true

require "coppice/monitor/actions"
require "coppice/monitor/leak_watch"
require "coppice/monitor/capacity"
require "coppice/monitor/facts"
require "coppice/monitor/promotion"
require "coppice/monitor/recycling"
require "coppice/monitor/retirement"
require "coppice/monitor/rollout"
require "coppice/monitor/roster"
require "coppice/monitor/shutdown"
require "coppice/monitor/sizing"
require "coppice/monitor/warm_start"
require "coppice/monitor/watchdog"

module Coppice
  class Monitor
    # Supervises all children: facts come in, decisions are made, actions go out. All system calls go through `system`,
    # and the listeners, cold molds and hooks are reached only through `port`, `spawner` and `hooks`, so that tests can
    # replace them.
    class Supervision
      TICK = 1.0 # seconds: how often the board is looked at when nothing happens
      AT_ONCE = 1.0 # seconds that children have to exit in an immediate stop

      attr_reader :roster      #: Roster
      attr_reader :exit_status #: Integer -- of the server

      #: (system: System, board: Board, rows: RowPool, port: ServingPort, spawner: MoldSpawner, hooks: UserHooks,
      #    settings: Config::Settings, log: Log) -> void
      def initialize(system:, board:, rows:, port:, spawner:, hooks:, settings:, log:)
        @system = system
        @board = board
        @port = port
        @settings = settings
        @log = log
        sizing = Sizing.new(settings, processors: system.processors, memory_total_kib: system.memory_total_kib)
        @exit_status = 0
        @roster = Roster.new(target: sizing.first_target)
        @roster.gc_unmeasured = spawner.worth_fitting?
        @roster.memory_total_kib = system.memory_total_kib
        board.workers_count = @roster.target
        parts = { system: system, roster: @roster, rows: rows, port: port, hooks: hooks, settings: settings, log: log }
        @actions = Actions.new(board: board, spawner: spawner, **parts)
        @facts = Facts.new(**parts)
        @watchdog = Watchdog.new(settings)
        @promotion = Promotion.new(settings)
        capacity = Capacity.new(settings)
        @serving = [@watchdog, Retirement.new, LeakWatch.new(settings), @promotion, sizing, WarmStart.new,
                    Recycling.new(settings), Rollout.new(settings), capacity]
        @delaying = [@watchdog, capacity]
        @leaving = [@watchdog, Shutdown.new]
        warn_of_unknown_memory
      end

      # Takes in the messages of the given children and the exits of all; then decides, and acts.
      #: (Array[Handle]) -> void
      def turn(speakers)
        speakers.each { |handle| @facts.receive_from(handle) unless handle.gone? }
        @facts.reap
        now = @system.now
        roster.memory_left_kib = @system.memory_left_kib if @settings.refork_after == :auto
        decisions(now).each { |decision| @actions.perform(decision.next(roster, now), now) }
        give_up if roster.give_up_reason && @exit_status.zero?
      end

      # Seconds until something is due, at most a tick.
      #: () -> Float
      def seconds_until_due
        now = @system.now
        pauses = [roster.spawns, roster.reforks, roster.replacements].map(&:not_before)
        due = [@watchdog.next_deadline(roster), roster.stop_begins_at, roster.stop_deadline, *pauses]
        due.compact.select { |at| at > now }.push(now + TICK).min - now
      end

      #: () -> bool
      def finished? = !roster.stopping.nil? && roster.handles.empty?

      # :gracefully serves on for `delay` seconds, then has workers serve all clients that have connected. :at_once does
      # neither.
      #: (Symbol, ?delay: Numeric) -> void
      def stop(how, delay: 0)
        return if roster.stopping == :at_once || roster.stopping == how

        @log.info("stopping", how: how, **(delay.zero? ? {} : { in: delay }))
        @board.shutting_down = 1
        roster.stopping = how
        roster.stop_begins_at = @system.now + delay
        time = how == :at_once ? AT_ONCE : @settings.timeout + @settings.hard_timeout
        roster.stop_deadline = roster.stop_begins_at + time
        roster.handles.each { |handle| @actions.interrupt(handle, roster.stop_deadline) } if how == :at_once
      end

      # USR2: a new generation as soon as there can be one.
      #: () -> void
      def refork
        @log.info("refork requested")
        @log.warn("the refork waits until a fork-safe worker has served a request") if @promotion.template(roster).nil?
        roster.refork_wanted = true
        roster.reforks.wait_until(@system.now) # the pause is for the server's own tries
      end

      # TTIN and TTOU: one slot more or one less.
      #: (Integer) -> void
      def resize(difference)
        return if roster.stopping

        target = (roster.target + difference).clamp(1, Board::ROW_COUNT / 4)
        @actions.perform([Steps::Resize.new(target, { why: :asked })], @system.now)
        find_wrong_queues
      end

      private

      def warn_of_unknown_memory
        limit = @settings.worker_memory_limit
        return if limit.nil? || Config::Types::MemoryLimit.kib(limit, roster.memory_total_kib)

        @log.warn("worker_memory_limit has no effect: it is a share, and the amount of memory is unknown",
                  file: Memory::AvailableMemory::MEMINFO)
      end

      def give_up
        @log.fatal("giving up", why: roster.give_up_reason)
        @exit_status = 1
        stop(:gracefully)
      end

      # With several queues and fewer workers each worker must accept from more of them than it was given.
      def find_wrong_queues
        roster.workers.each do |worker|
          wanted = @port.listeners_for(worker.nr, workers: roster.target).map(&:fileno)
          worker.wrong_queues = !(wanted - worker.listeners.to_a).empty?
        end
      end

      # A server that stops with a delay replaces lost workers, and changes nothing else.
      def decisions(now)
        return @serving unless roster.stopping

        now < roster.stop_begins_at ? @delaying : @leaving
      end
    end
  end
end
