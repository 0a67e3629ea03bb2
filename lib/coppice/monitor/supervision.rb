# frozen_string_literal: true

require "coppice/log"
require "coppice/memory/available_memory"
require "coppice/monitor/act/actions"
require "coppice/monitor/context"
require "coppice/monitor/decide/memory_look"
require "coppice/monitor/decide/refusal"
require "coppice/monitor/decisions"
require "coppice/monitor/learn/facts"
require "coppice/monitor/operations"
require "coppice/monitor/records"
require "coppice/monitor/rolls/rolls"
require "coppice/monitor/state/roster"
require "coppice/monitor/workers/elasticity"
require "coppice/monitor/workers/sizing"

module Coppice
  class Monitor
    # Supervises all children: it learns what they report, decides, and acts, turn by turn.
    class Supervision
      TICK = 1.0 # seconds between two looks at the board when nothing happens

      attr_reader :roster      #: Roster
      attr_reader :rolls       #: Rolls
      attr_reader :operations  #: Operations
      attr_reader :exit_status #: Integer -- of the server

      # outside: what is outside of supervision.
      #: (Context) -> void
      def initialize(outside)
        @system = outside.system
        @board = outside.board
        @log = outside.log
        @release = outside.releases.first
        @sizing = Sizing.new(settings, processors: @system.processors, memory_total_kib: @system.memory_total_kib)
        @exit_status = 0
        @roster = Roster.new(target: @sizing.first_target, release: @release)
        @records = Records.new(system: @system, board: @board, roster: @roster, port: outside.port)
        @context = Context.new(**outside.to_h, roster: @roster, records: @records)
        @demand = Elasticity::Demand.new(@system, @board, outside.port)
        @memory = MemoryLook.new(@system, @roster)
        @facts = Facts.new(@context)
        @actions = Actions.new(@context)
        @rolls = Rolls.new(@context, actions: @actions)
        @operations = Operations.new(@context, actions: @actions, sizing: @sizing, decisions: -> { @decisions })
        describe_server
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
        @operations.advance(now)
        @memory.look(now)
        enter_release while decide(now)
        note_trial
        note_bounds
        @records.turned(now, @decisions.promotion.method(:ledger))
        give_up if roster.give_up_reason && @exit_status.zero?
      end

      # Seconds until something is due, at most a tick.
      #: () -> Float
      def seconds_until_due
        now = @system.now
        due = [*roster.stop.times, *roster.pauses, @facts.due_at, @records.due_at, *@decisions.times(now),
               *(now + Board::TRIAL_LOOK_SECONDS if roster.trial&.ready?),
               *(now + Refusal::PAUSE if Refusal.waiting?(roster, now))]
        due.compact.select { |at| at > now }.push(now + TICK).min - now
      end

      #: () -> bool
      def finished? = !roster.stopping.nil? && roster.handles.empty?

      private

      # Returns whether a release was committed: then all is decided anew, by its settings.
      def decide(now)
        @decisions.due(roster, now).any? do |decision|
          @actions.perform(decision.next(roster, now), now)
          !roster.release.equal?(@release)
        end
      end

      def settings = @release.settings

      def note_bounds
        @board.workers_least, @board.workers_most = @sizing.bounds&.minmax || [roster.wanted, roster.wanted]
      end

      def note_trial
        counts = @decisions.promotion.counts_of_trial(roster)
        @board.trial_watched = counts ? 1 : 0
        @records.tried(counts) if counts
      end

      # From the commit of a release on the monitor decides by its settings, calls its hooks and is in its directory.
      # What an operator has set in the running server stays, unless the release brings another value.
      def enter_release
        before = settings
        @release = roster.release
        roster.succession.gc_unmeasured = false
        @context.releases.adopt(@release)
        @context.hooks.adopt(settings)
        @context.knowledge.adopt(@release)
        @board.services = settings.service_names
        @operations.log_level = settings.log_level unless settings.log_level == before.log_level
        @operations.follow_configuration(:release) unless settings.worker_processes == before.worker_processes
        list_decisions
      end

      def describe_server
        @roster.succession.gc_unmeasured = @context.molds.worth_fitting?(@release)
        @roster.headroom.total = @system.memory_total_kib
        @roster.lobby_wanted = @context.port.with_lobby.any?
        @board.workers_count = @roster.target
        @operations.log_level = settings.logger ? :debug : settings.log_level
      end

      def list_decisions
        elasticity = Elasticity.new(@sizing, @demand, @system)
        @decisions = Decisions.new(settings, context: @context, sizing: @sizing, elasticity: elasticity,
                                             requests_waiting: @demand.method(:requests_waiting),
                                             baseline: @records.method(:recent_counts))
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
        @operations.stop(:gracefully)
      end
    end
  end
end
