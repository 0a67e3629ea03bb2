# frozen_string_literal: true

module Coppice
  class CLI
    # Compares the longest graceful stop with the time after which the platform kills the server, where the environment
    # tells it.
    class StopTime
      # Set it to the pod's terminationGracePeriodSeconds, which a container cannot see.
      GRACE_PERIOD = "TERMINATION_GRACE_PERIOD_SECONDS"

      HEROKU_SECONDS = 30
      KUBERNETES_SECONDS = 30 # unless the pod says otherwise
      SYSTEMD_SECONDS = 90 # unless DefaultTimeoutStopSec or the unit says otherwise

      # environment: as the platform has made it.
      #: (Config::Settings, Hash[String, String]) -> void
      def initialize(settings, environment)
        @settings = settings
        @environment = environment
      end

      # nil when the time is long enough, or unknown. A stop that takes exactly as long is not safe: the kill may come
      # first.
      #: () -> String?
      def warning
        platform, seconds, remedy = limit
        return unless seconds && @settings.longest_stop >= seconds

        "a graceful stop may take #{@settings.longest_stop} s (#{first} + timeout + the longest timeout + " \
          "cleanup), but #{platform} kills the server after #{seconds} s: #{remedy}"
      end

      private

      # What takes longest before the workers exit.
      def first
        service = @settings.services.max_by(&:timeout)
        return "shutdown_delay" if service.nil? || service.timeout <= @settings.shutdown_delay

        "the timeout of #{service.name ? "service #{service.name}" : 'the service worker'}"
      end

      def limit
        if @environment["DYNO"]
          ["Heroku", HEROKU_SECONDS, "lower timeout or #{first}"]
        elsif @environment["KUBERNETES_SERVICE_HOST"]
          ["Kubernetes", grace_period, "set terminationGracePeriodSeconds, and #{GRACE_PERIOD} to the same value"]
        elsif @environment["SYSTEMD_EXEC_PID"] == Process.pid.to_s && !@environment["NOTIFY_SOCKET"]
          ["systemd", SYSTEMD_SECONDS, "use Type=notify, with which the server asks for the time, or TimeoutStopSec"]
        end
      end

      def grace_period = Integer(@environment[GRACE_PERIOD].to_s, 10, exception: false) || KUBERNETES_SECONDS
    end
  end
end
