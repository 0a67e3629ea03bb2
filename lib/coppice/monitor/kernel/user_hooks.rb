# frozen_string_literal: true

require "coppice/errors"

module Coppice
  class Monitor
    # Runs the user's hooks of the monitor, on the helper thread: they may block and raise, and the monitor must not
    # wait.
    class UserHooks
      #: (settings: Config::Settings, context: HookContext, thread: HelperThread, inbox: Inbox, log: Log) -> void
      def initialize(settings:, context:, thread:, inbox:, log:)
        @settings = settings
        @context = context
        @thread = thread
        @inbox = inbox
        @log = log
      end

      # What to do, in the monitor's loop, when a hook calls exit.
      attr_writer :on_exit #: ^() -> void

      # Calls the hooks of these settings from now on.
      #: (Config::Settings) -> void
      def adopt(settings)
        @settings = settings
        @context = @context.with_settings(settings)
      end

      # Queues a call of the hook; does nothing if the user has not set it.
      #: (Symbol, *untyped) -> void
      def call(name, *arguments)
        hook = @settings.hook(name) or return
        context = @context
        @thread.post do
          hook.call(context, *arguments)
        rescue UserCodeError => error # the user's: logged, and nothing else happens
          @log.exception("#{name} failed", error)
        rescue SystemExit
          @inbox.hand_back { @on_exit.call } # on this thread it would end only the thread
        end
      end

      # Yields the signal that kills an overdue child, in the monitor's loop. The user's hook after_worker_hard_timeout
      # and the user's block of timeout_signal run first. If they take long, the watchdog kills the child a second
      # later.
      #: (Handle, Symbol) { (Symbol | Integer) -> void } -> void
      def choose_signal(handle, reason, &kill)
        asked = reason == :request_timeout && @settings.hook(:after_worker_hard_timeout)
        return yield(@settings.timeout_signal) unless asked || @settings.timeout_signal.respond_to?(:call)

        call(:after_worker_hard_timeout, handle) if asked
        @thread.post do
          name = chosen_signal(handle.pid)
          @inbox.hand_back { kill.call(name) }
        end
      end

      private

      # Falls back to KILL if the user's block raises or does not return a signal.
      def chosen_signal(pid)
        name = @settings.timeout_signal_for(pid)
        Signal.list.key?(name.to_s.delete_prefix("SIG")) || Signal.list.value?(name) ? name : :KILL
      rescue UserCodeError, SystemExit => error
        @log.exception("timeout_signal failed", error)
        :KILL
      end
    end
  end
end
