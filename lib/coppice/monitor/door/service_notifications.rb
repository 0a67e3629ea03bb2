# frozen_string_literal: true

require "coppice/control/ready_workers"

module Coppice
  class Monitor
    # Decides what the service manager is told after a turn of the monitor's loop: READY=1 when clients can connect,
    # RELOADING=1 while a roll is under way, STATUS when it changed, STOPPING=1, more time for a boot or a stop that has
    # a deadline of its own, and WATCHDOG=1 while the server serves or legitimately boots. A monitor that hangs, or a
    # server whose workers fail one after the other, is silent.
    class ServiceNotifications
      # Seconds that may follow the deadline of a child or of the stop: KILL, queued hooks, queued log lines.
      MARGIN = 10.0

      #: (OS::ServiceManager, roster: Roster, port: ServingPort) -> void
      def initialize(manager, roster:, port:)
        @manager = manager
        @roster = roster
        @port = port
        @sent = {} # kind => value
        @watchdog_interval = manager.watchdog_seconds&./(4)
        @fed_at = -Float::INFINITY
      end

      # The longest time that the loop may wait: seconds.
      #: () -> Float
      def longest_wait = @watchdog_interval || Float::INFINITY

      # The loop has turned. What could not be sent is sent after a later turn.
      #: (Float) -> void
      def turned(now)
        return unless @manager.listening?

        tell_of_refused_roll
        due = { state: state, status: status, deadline: deadline }.compact
        due.reject! { |kind, value| @sent[kind] == value }
        feed = watchdog_due?(now)
        assignments = due.map { |kind, value| kind == :deadline ? extension(value - now) : value }
        assignments << "WATCHDOG=1" if feed
        return if assignments.empty? || !@manager.notify(assignments)

        @sent.update(due)
        @fed_at = now if feed
      end

      private

      # A manager that asks for rolls by a signal (Type=notify-reload) waits for a reload that begins after it, also
      # when there is none: so it is told of one, then once more what is so.
      def tell_of_refused_roll
        refused_at = @roster.roll_refused_at
        return if refused_at == @told_refusal || !@sent.key?(:state) || @roster.stopping
        return unless @manager.notify([reloading(refused_at)])

        @told_refusal = refused_at
        @sent[:state] = nil
      end

      def state
        return "STOPPING=1" if @roster.stopping

        return unless @port.open?
        return "READY=1" unless @sent.key?(:state) # a service that starts cannot reload: a roll may wait already

        @roster.roll&.decided? == false ? reloading(@roster.roll.asked_at) : "READY=1"
      end

      def reloading(asked_at) = "RELOADING=1\nMONOTONIC_USEC=#{usec(asked_at)}"

      def status
        return "STATUS=stopping: processes left: #{@roster.handles.size}" if @roster.stopping

        doing = @port.open? ? "serving" : "booting"
        ready = Control::ReadyWorkers.text(workers_ready: @roster.ready_workers.size, workers: @roster.target)
        "STATUS=#{doing}: release #{@roster.release.number}, generation #{@roster.generation}, #{ready} workers ready"
      end

      # Until when the server takes care itself that its start or its stop ends (monotonic seconds); nil if it does not.
      def deadline
        return @roster.stop.deadline if @roster.stopping
        return if @port.open? || failing?

        starting.filter_map(&:deadline).max
      end

      def extension(seconds) = "EXTEND_TIMEOUT_USEC=#{usec(seconds + MARGIN)}"

      def usec(seconds) = (seconds * 1_000_000).to_i

      def watchdog_due?(now)
        @watchdog_interval && now - @fed_at >= @watchdog_interval && progress?
      end

      # The watchdog of the monitor takes care of what hangs: every child that starts or exits has a deadline, and every
      # worker a heartbeat.
      def progress?
        return true if @roster.stopping || (@roster.serving? && @roster.seats?)

        starting.any? && !failing?
      end

      def starting = @roster.children[:starting].to_a

      def failing?
        tries = [@roster.spawns, @roster.replacements, *(@roster.lobbies unless @roster.seats?)]
        tries.any? { |each| each.failures.positive? }
      end
    end
  end
end
