# frozen_string_literal: true

require "coppice/control/messages"
require "coppice/monitor/act/fork_requests"
require "coppice/monitor/act/mold_actions"
require "coppice/monitor/act/shortage"
require "coppice/monitor/lobby/lobby_actions"
require "coppice/monitor/observer/observer_actions"
require "coppice/monitor/steps"

module Coppice
  class Monitor
    # Carries out what was decided. The files of this room, and those of the lobby's, are the only ones that spawn
    # children, signal them and send them messages. Each step is recorded in the roster at once, so that the next
    # decision knows of it.
    class Actions
      #: (Context) -> void
      def initialize(context)
        @system = context.system
        @board = context.board
        @port = context.port
        @hooks = context.hooks
        @knowledge = context.knowledge
        @roster = context.roster
        @log = context.log
        @shortage = Shortage.new(context)
        @forks = ForkRequests.new(context)
        @observer = ObserverActions.new(context, forks: @forks)
        @lobby = LobbyActions.new(context)
        @molds = MoldActions.new(context, forks: @forks) { |handle, now| retire(handle, now) }
      end

      #: (Array[Step], Float) -> void
      def perform(steps, now)
        steps.each do |step|
          carry_out(step, now)
          @shortage.succeeded(step)
        rescue SystemCallError => error # no descriptor, memory or process is left: the machine may recover
          @shortage.failed(step, error, now)
          break
        end
      end

      # Sends a signal to a child, which may have exited at this moment.
      #: (Handle, Symbol | Integer) -> void
      def signal(handle, name)
        return @lobby.signal(handle, name) if handle.lobby?
        return if handle.pid.nil? || handle.gone?
        return if handle.traits.own_session && @system.signal(-handle.pid, name)

        handle.vanished = true unless @system.signal(handle.pid, name)
      end

      # Sends a signal to the process group of a child, as soon as that handles signals.
      #: (Handle, Symbol) -> void
      def signal_group(handle, name)
        handle.kept_signals << name
        send_kept_signals(handle) if handle.handles_signals?
      end

      # Tells a child to exit at once; the watchdog kills it if it has not by the deadline.
      #: (Handle, Float) -> void
      def interrupt(handle, deadline)
        return hang_up(handle, :shutdown, deadline) if handle.traits.shutdown == :hang_up

        record_kill(handle, :shutdown, deadline)
        handle.lobby? ? @lobby.tell(handle, "stop") : signal(handle, :INT)
      end

      private

      def carry_out(step, now)
        case step
        when Steps::SpawnWorker then spawn_worker(step, now)
        when Steps::Resize then resize(step)
        when Steps::HoldBack then hold_back(step)
        when Steps::Measure then step.handle.channel.send(Control::Messages::Measure.new)
        when Steps::KeepMeasurement then @knowledge.keep_measurement(step.worker)
        when Steps::KeepPaths then @knowledge.write
        when Steps::Recycle then recycle(step)
        when Steps::Observe then @observer.spawn(now)
        when Steps::SpawnLobby then @lobby.spawn(now)
        when Steps::Reseat then @lobby.reseat(step.worker)
        when Steps::TellLobby then @lobby.send_orders(step.lobby, step.packets)
        when Steps::KillLobbyPart then @lobby.kill_part(step.lobby, step.part)
        when Steps::Warn then @log.warn(step.message, **step.fields)
        when Steps::Retire then retire(step.handle, now, signal: step.signal)
        when Steps::RefuseNewConnections then refuse_new_connections(now)
        when Steps::SpawnService then @forks.spawn_service(step, now)
        when Steps::SpawnErrand then @forks.spawn_errand(step, now)
        when Steps::SendKeptSignals then send_kept_signals(step.handle)
        when Steps::HangUp then hang_up(step.handle, step.reason, now + step.seconds)
        when Steps::Drain then drain(step.handle, now)
        when Steps::Kill then kill(step.handle, step.reason, now)
        when Steps::GiveUp then @roster.give_up_reason ||= step.reason
        else @molds.carry_out(step, now)
        end
      end

      def spawn_worker(step, now)
        listeners = @port.listeners_for(step.nr, workers: @roster.target)
        seat = @lobby.new_seat
        kind = ChildKind.new(:worker, generation: step.mold.generation, nr: step.nr, purpose: step.purpose)
        handle = @forks.call(step.mold, kind, deadline: @forks.deadline(step.mold, now),
                                              first_request: first_request?(kind)) do |child|
          { listeners: listeners, **@lobby.seat(child, seat) }.reject { |_, ios| ios.empty? }
        end
        seat&.handed_over
        handle.listeners = listeners.map(&:fileno)
        @roster.succession.try(handle) if step.trial
      ensure
        seat&.close unless handle
      end

      def first_request?(kind) = kind.generation >= @roster.succession.first_requests_from

      # A stopped process acts on the signal once it is continued.
      def hang_up(handle, reason, deadline)
        @log.info("telling a #{handle.role} to exit", **handle.to_log, **handle.errand.to_log, why: reason)
        record_kill(handle, reason, deadline)
        signal_group(handle, :HUP)
        signal_group(handle, :CONT)
      end

      def send_kept_signals(handle)
        signal(handle, handle.kept_signals.shift) until handle.kept_signals.empty?
      end

      # 0: the workers that were held back come back.
      def hold_back(step)
        @roster.held_back = step.workers
        target_changed(why: :lean_roll)
      end

      def resize(step)
        @roster.wanted = step.target
        target_changed(**step.reason_fields)
      end

      def target_changed(**reason_fields)
        @board.workers_count = @roster.target
        find_wrong_queues
        @log.info("number of workers changed", workers: @roster.target, **reason_fields)
      end

      # With several queues, fewer workers must each accept from more queues than they were given at their fork.
      def find_wrong_queues
        @roster.workers.each do |worker|
          listeners = @port.listeners_for(worker.nr, workers: @roster.target).map(&:fileno)
          worker.wrong_queues = !(listeners - worker.listeners.to_a).empty?
        end
      end

      # It is then replaced as those of an old generation are.
      def recycle(step)
        step.handle.over_limit = true
        @log.info("recycling a #{step.handle.role}", **step.handle.to_log, **step.reason_fields)
      end

      def retire(handle, now, signal: nil)
        return if handle.leaving? || handle.gone?

        @roster.succession.lose(handle) # a successor need not wait for the exit of a mold
        @log.info("retiring a child that got a signal", **handle.to_log, signal: signal) if signal
        # A mold does not read its channel before it is ready. A service may be another program by now, or at the moment
        # after this one: a message would reach nobody.
        loading = handle.mold? && handle.starting?
        program = handle.service? && !handle.starting?
        tell_to_exit(handle, (Control::Messages::Stop unless program), now)
        signal(handle, :TERM) if loading || program
      end

      def refuse_new_connections(now)
        @port.refuse_new_connections
        @roster.stop.refuse_connections(now, connecting: @port.connecting)
      end

      # Clients in a queue that outlives the server, such as systemd's, are left to its successor.
      def drain(handle, now)
        return @lobby.drain(handle) if handle.lobby?
        return retire(handle, now) if @port.all_borrowed?

        tell_to_exit(handle, Control::Messages::Drain, now + @roster.settings_of(handle).timeout)
      end

      # The time covers the request in flight and the user's exit hook. A child that still starts has no request, so its
      # deadline stays the earlier one for getting ready. The channel is never too full for this message: it holds two
      # Spawns and a Measure at most. nil for none.
      def tell_to_exit(handle, message, from)
        handle.row.leaving = 1
        handle.leave_deadline = from + time_to_exit(handle)
        handle.deadline = handle.leave_deadline unless handle.starting? && handle.deadline < handle.leave_deadline
        handle.move(:leaving)
        handle.channel.send(message.new) if message
      end

      def time_to_exit(handle)
        return handle.service.timeout if handle.service

        handle.traits.shutdown == :stop_last ? Watchdog::GRACE : @roster.settings_of(handle).longest_turn
      end

      # Sends the signal that the user chose, or KILL to a worker whose answers are of no use. The second call for the
      # same child, a second later, sends KILL.
      def kill(handle, reason, now)
        again = !handle.kill_reason.nil?
        record_kill(handle, reason, now + Watchdog::GRACE)
        give_time_to_children(handle, now)
        return signal(handle, :KILL) if again

        log_kill(handle, reason) unless reason == :shutdown
        return signal(handle, :KILL) if handle.lobby? || handle.seat&.fault == reason

        @hooks.choose_signal(handle, reason) { |name| signal(handle, name) }
      end

      def log_kill(handle, reason)
        hook = handle.row.hook
        hook = nil if hook.empty?
        remedy = "raise #{start_option(handle)} if #{hook || 'the start'} needs more time" if reason == :spawn_timeout
        @log.error("killing a child", **handle.to_log, why: reason, **{ during: hook, remedy: remedy }.compact)
      end

      # The limit that it exceeded. A process that was ready is killed when it has not forked a child in time.
      def start_option(handle)
        return :spawn_timeout if handle.ready_at

        handle.cold? || handle.observer? || handle.warms_up? ? :boot_timeout : :spawn_timeout
      end

      def record_kill(handle, reason, deadline)
        handle.kill_reason ||= reason
        handle.row.leaving = 1
        handle.move(:leaving) unless handle.leaving?
        handle.deadline = deadline
      end

      # The children that it was asked to fork are late because of it, so they get more time. Usually their channels end
      # when it is killed; a middle process may hold them open a little longer.
      def give_time_to_children(handle, now)
        seconds = @roster.settings_of(handle).spawn_timeout
        @roster.requested_of(handle).each { |child| child.deadline = now + seconds }
      end
    end
  end
end
