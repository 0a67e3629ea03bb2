# frozen_string_literal: true

module Coppice
  class Monitor
    # Runs the user's hooks of the monitor, on the helper thread: they may block and raise, and the monitor must not
    # wait.
    class UserHooks
      #: (settings: Config::Settings, server: Server, thread: HelperThread, inbox: Inbox, log: Log) -> void
      def initialize(settings:, server:, thread:, inbox:, log:)
        @settings = settings
        @server = server
        @thread = thread
        @inbox = inbox
        @log = log
      end

      # What to do, in the monitor's loop, when a hook calls exit.
      attr_writer :on_exit #: ^() -> void

      # Calls the hook soon; does nothing when there is none.
      #: (Symbol, *untyped) -> void
      def call(name, *arguments)
        hook = @settings.hook(name) or return
        @thread.post do
          hook.call(@server, *arguments)
        rescue StandardError, ScriptError => error # the user's: logged, and nothing else happens
          @log.exception("#{name} failed", error)
        rescue SystemExit
          @inbox.hand_back { @on_exit.call } # on this thread it would end only the thread
        end
      end

      # Yields, in the monitor's loop, the signal that ends an overdue child. Before that the user may want a look at
      # the worker, and may choose the signal in a block. If either takes long, the watchdog kills the child a second
      # later.
      #: (Handle, Symbol) { (Symbol | Integer) -> void } -> void
      def choose_signal(handle, reason, &ending)
        asked = reason == :request_timeout && @settings.hook(:after_worker_hard_timeout)
        return yield(@settings.timeout_signal) unless asked || @settings.timeout_signal.respond_to?(:call)

        call(:after_worker_hard_timeout, handle) if asked
        @thread.post do
          name = chosen_signal(handle.pid)
          @inbox.hand_back { ending.call(name) }
        end
      end

      private

      # The block is the user's: an error in it, or a name that is none, means KILL.
      def chosen_signal(pid)
        name = @settings.timeout_signal_for(pid)
        Signal.list.key?(name.to_s.delete_prefix("SIG")) || Signal.list.value?(name) ? name : :KILL
      rescue StandardError, ScriptError => error
        @log.exception("timeout_signal failed", error)
        :KILL
      end
    end
  end
end
