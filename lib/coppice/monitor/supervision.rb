# frozen_string_literal: true

require "coppice/monitor/actions"
require "coppice/monitor/baseline"
require "coppice/monitor/capacity"
require "coppice/monitor/facts"
require "coppice/monitor/promotion"
require "coppice/monitor/recycling"
require "coppice/monitor/retirement"
require "coppice/monitor/rollout"
require "coppice/monitor/roster"
require "coppice/monitor/shutdown"
require "coppice/monitor/sizing"
require "coppice/monitor/warm_up"
require "coppice/monitor/watchdog"

# Runs in the monitor.

module Coppice
  class Monitor
    # The family and what happens to it: facts come in, decisions are made, actions
    # go out. Touches the operating system only through `system` and the rest of the
    # server only through `monitor`, so that a test can take the place of both.
    class Supervision
      TICK = 1.0 # seconds: how often the board is looked at when nothing happens
      AT_ONCE = 1.0 # seconds that children have to leave when they shall leave at once

      attr_reader :roster #: Roster

      #: (monitor: Monitor, system: System, rows: RowPool, settings: untyped, log: untyped) -> void
      def initialize(monitor:, system:, rows:, settings:, log:)
        @monitor = monitor
        @system = system
        @settings = settings
        @log = log
        sizing = Sizing.new(settings, processors: system.processors, memory_total_kib: system.memory_total_kib)
        @roster = Roster.new(target: sizing.first_target)
        @roster.memory_total_kib = system.memory_total_kib
        parts = { monitor: monitor, system: system, roster: @roster, rows: rows, settings: settings, log: log }
        @actions = Actions.new(**parts)
        @facts = Facts.new(**parts)
        @watchdog = Watchdog.new(settings)
        @promotion = Promotion.new(settings)
        capacity = Capacity.new(settings)
        @serving = [@watchdog, Retirement.new, Baseline.new(settings), @promotion, sizing, WarmUp.new,
                    Recycling.new(settings), Rollout.new(settings), capacity]
        @delaying = [@watchdog, capacity]
        @leaving = [@watchdog, Shutdown.new]
        warn_of_unknown_memory
      end

      # Takes in what the given children have to say, and who has ended; then decides.
      #: (Array[Handle]) -> void
      def turn(speakers)
        speakers.each { |handle| @facts.hear(handle) unless handle.gone? }
        @facts.reap
        now = @system.now
        roster.memory_left_kib = @system.memory_left_kib if @settings.refork_after == :auto
        decisions(now).each { |decision| @actions.perform(decision.next(roster, now), now) }
      end

      # Seconds until something is due, at most a tick.
      #: () -> Float
      def patience
        now = @system.now
        pauses = [roster.spawn_not_before, roster.refork_not_before, roster.mold_not_before]
        due = [@watchdog.next_deadline(roster), roster.leave_at, roster.stop_deadline, *pauses]
        due.compact.select { |at| at > now }.push(now + TICK).min - now
      end

      #: () -> bool
      def finished? = !roster.stopping.nil? && roster.handles.empty?

      # :gracefully goes on for so many seconds, then lets everybody serve who is in the queue and finish the request in
      # hand; :at_once does not.
      #: (Symbol, ?delay: Numeric) -> void
      def stop(how, delay: 0)
        return if roster.stopping == :at_once || roster.stopping == how

        @log.info("stopping", how: how, **(delay.zero? ? {} : { in: delay }))
        roster.stopping = how
        roster.leave_at = @system.now + delay
        roster.stop_deadline = roster.leave_at + (how == :at_once ? AT_ONCE : @settings.timeout + @settings.hard_timeout)
        roster.handles.each { |handle| @actions.interrupt(handle, roster.stop_deadline) } if how == :at_once
      end

      # The user's USR2: a new generation as soon as there can be one.
      #: () -> void
      def refork
        @log.info("refork asked for")
        @log.warn("the refork waits until a fork-safe worker has served a request") if @promotion.template(roster).nil?
        roster.refork_wanted = true
        roster.refork_not_before = @system.now # a back-off is for our own tries
      end

      # One slot more or one less; answers how many workers there shall be.
      #: (Integer) -> Integer
      def resize(step)
        return roster.target if roster.stopping

        roster.target = (roster.target + step).clamp(1, Board::ROW_COUNT / 4)
        @log.info("workers wanted", count: roster.target)
        find_misplaced
        roster.target
      end

      private

      def warn_of_unknown_memory
        limit = @settings.worker_memory_limit
        return if limit.nil? || Config::Types::MemoryLimit.kib(limit, roster.memory_total_kib)

        @log.warn("a worker_memory_limit that is a share is none: nothing tells how much memory there is", file: Memory::Room::MEMINFO)
      end

      # With several queues and fewer workers each must see to more of them than it was given.
      def find_misplaced
        roster.workers.each do |worker|
          wanted = @monitor.listeners_for(worker.nr).map(&:fileno)
          worker.misplaced = !(wanted - worker.listeners.to_a).empty?
        end
      end

      # A server that stops with a delay keeps its workers up, and changes nothing else.
      def decisions(now)
        return @serving unless roster.stopping

        now < roster.leave_at ? @delaying : @leaving
      end
    end
  end
end
