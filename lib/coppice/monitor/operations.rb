# frozen_string_literal: true

require "coppice/config/types"
require "coppice/log"
require "coppice/monitor/act/stopping"
require "coppice/monitor/act/thread_request"
require "coppice/monitor/role_supervision"
require "coppice/monitor/steps"

module Coppice
  class Monitor
    # What an operator can ask of the running server, by a signal or at the control socket; but for releases, which are
    # rolled by Rolls.
    class Operations
      # decisions: returns the present Decisions.
      #: (Context, actions: Actions, sizing: Sizing, decisions: ^() -> Decisions) -> void
      def initialize(context, actions:, sizing:, decisions:)
        @system = context.system
        @port = context.port
        @roster = context.roster
        @log = context.log
        @actions = actions
        @sizing = sizing
        @decisions = decisions
        @stopping = Stopping.new(context, actions: actions)
      end

      # TERM, QUIT and HUP.
      #: () -> void
      def stop_gracefully = stop(:gracefully, delay: @port.open? ? @roster.settings.shutdown_delay : 0)

      # As of Stopping.
      #: (Symbol, ?delay: Numeric) -> void
      def stop(how, delay: 0) = @stopping.begin(how, delay: delay)

      # What the stop leads to as time passes.
      #: (Float) -> void
      def advance(now)
        @stopping.advance(now) if @roster.stopping
      end

      # The lowest level that children log, for the one that does not read it on the board.
      #: (Symbol) -> void
      def log_level=(name)
        @roster.log_level = Log::LEVELS.fetch(name)
      end

      # USR2: a new generation as soon as there can be one.
      #: () -> void
      def refork
        @log.info("refork requested")
        waits = @decisions.call.promotion.awaits_template?(@roster)
        @log.warn("the refork waits until a fork-safe worker has served a request") if waits
        @roster.succession.ask
      end

      # TTIN and TTOU: one slot more or one less.
      #: (Integer) -> void
      def resize(difference)
        @sizing.shift(difference)
        wish_for(@roster.wanted + difference)
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
        @sizing.follow(@roster.settings)
        wish_for(@sizing.first_target(@roster.wanted), why)
      end

      # A fresh fork is to replace this worker.
      #: (Handle) -> void
      def recycle(worker) = perform(Steps::Recycle.new(worker, { why: :asked }))

      # Asks a child what its threads do. Raises Error when it cannot be asked.
      #: (Handle) -> ThreadRequest
      def show_threads(handle) = ThreadRequest.new(handle)

      # Has a child forked for an errand. Raises Error when that cannot be.
      #: (untyped) -> void
      def start(errand)
        perform(@decisions.call.admit(@roster, errand))
        raise Error, "the system has no descriptor left for a #{errand.role}" unless errand.handle
      end

      # Sends a signal to the process group of such a child.
      #: (Handle, Symbol) -> void
      def signal(handle, name) = @actions.signal_group(handle, name)

      # What a verb does that is a role's own.
      #: (Symbol, ControlConnection::Caller) -> ControlConnection::Pending
      def session(role, caller) = RoleSupervision::ALL.fetch(role).session(self, caller)

      private

      # Between 1 and the largest number that there may be.
      def wish_for(target, why = :asked)
        target = target.clamp(1, Config::Types::WorkerCount::MAXIMUM)
        perform(Steps::Resize.new(target, { why: why })) unless @roster.stopping || target == @roster.wanted
      end

      def perform(step) = @actions.perform([step], @system.now)
    end
  end
end
