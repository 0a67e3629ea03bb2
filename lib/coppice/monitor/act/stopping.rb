# frozen_string_literal: true

require "coppice/roles"

module Coppice
  class Monitor
    # Begins the stop of the server, and gives its children their time. What follows is decided by Shutdown.
    class Stopping
      IMMEDIATE_STOP_TIME = 1.0 # seconds that children have to exit in an immediate stop

      #: (Context, actions: Actions) -> void
      def initialize(context, actions:)
        @system = context.system
        @board = context.board
        @roster = context.roster
        @log = context.log
        @actions = actions
      end

      # :gracefully serves on for `delay` seconds, and until the services have exited, then has workers serve all
      # clients that have connected. :at_once does neither.
      #: (Symbol, ?delay: Numeric) -> void
      def begin(how, delay: 0)
        return if @roster.stopping == :at_once || @roster.stopping == how

        @log.info("stopping", how: how, **(delay.zero? ? {} : { in: delay }), **awaited(how))
        @board.shutting_down = 1
        @roster.stop.how = how
        @roster.stop.delayed_until = @system.now + delay
        let_exit_at(@roster.stop.delayed_until + (how == :at_once ? 0 : [time_for_services - delay, 0].max))
        @roster.handles.each { |handle| @actions.interrupt(handle, @roster.stop.deadline) } if how == :at_once
      end

      # Nobody waits any more once all services have exited.
      #: (Float) -> void
      def advance(now)
        earliest = [@roster.stop.delayed_until, now].max
        let_exit_at(earliest) if earliest < @roster.stop.exits_begin_at && @roster.services.empty?
      end

      private

      # The fields of the log line that say for whom the server waits.
      def awaited(how)
        services = how == :at_once ? [] : @roster.services.map { |handle| handle.service.name || "service" }
        errands = Roles::TABLE.select(&:errand).to_h do |role|
          [:"waits_for_#{role.plural}", @roster.children[role.plural].to_a.filter_map(&:pid)]
        end
        { **errands, waits_for_services: services }.reject { |_, names| names.empty? }
                                                   .transform_values { |names| names.join(" ") }
      end

      def let_exit_at(time)
        longest = @roster.stopping == :at_once ? IMMEDIATE_STOP_TIME : time_for_workers
        @roster.stop.begin_exits_at(time, longest: longest, behind_lobby: @roster.settings.timeout)
      end

      # Workers of the release before may have more time than the others.
      def time_for_workers
        in_use = [@roster.settings, *@roster.workers.map { |worker| @roster.settings_of(worker) }].uniq
        in_use.map { |each| each.timeout + each.hard_timeout }.max
      end

      # From TERM until each of them was killed.
      def time_for_services
        @roster.services.map { |handle| handle.service.timeout + (2 * Watchdog::GRACE) }.max || 0
      end
    end
  end
end
