# frozen_string_literal: true

require "test_helper"
require "coppice/cli"
require "coppice/cli/stop_time"
require "coppice/config/service_definition"
require "coppice/config/settings"

module Coppice
  class CLI
    class StopTimeTest < TestCase
      KUBERNETES = { "KUBERNETES_SERVICE_HOST" => "10.96.0.1" }.freeze

      def warning(environment, **values)
        values = { worker_processes: 2, timeout: 20, timeout_cleanup: 2, shutdown_delay: 5 }.merge(values)
        StopTime.new(Config::Settings.new(values: values), environment).warning
      end

      def warning_with_services(timeouts)
        services = timeouts.map { |name, seconds| Config::ServiceDefinition.new(name: name, timeout: seconds) }
        values = { worker_processes: 2, timeout: 20, timeout_cleanup: 2, shutdown_delay: 5 }
        StopTime.new(Config::Settings.new(values: values, services: services), { "DYNO" => "web.1" }).warning
      end

      test "the longest stop is the delay, the clients in the queue, and one more request" do
        assert_match(/may take 47 s .* but Heroku kills the server after 30 s/, warning({ "DYNO" => "web.1" }))
        assert_nil warning({ "DYNO" => "web.1" }, timeout: 13, timeout_cleanup: 2, shutdown_delay: 1)
      end

      test "a stop that may take as long as the platform waits is too long" do
        assert_match(/may take 30 s .* Heroku kills the server after 30 s/,
          warning({ "DYNO" => "web.1" }, timeout: 13, timeout_cleanup: 2, shutdown_delay: 2))
      end

      test "services exit before that, if they take longer than the delay" do
        text = warning_with_services({ "jobs" => 8, "quick" => 1 })

        assert_match(/may take 50 s \(the timeout of service jobs \+ timeout/, text)
        assert_match(/may take 62 s \(the timeout of the service worker \+/, warning_with_services({ nil => 20 }))
      end

      test "the remedy names what takes longest" do
        assert_match(/: lower timeout or shutdown_delay\z/, warning({ "DYNO" => "web.1" }))
        assert_match(/: lower timeout or the timeout of service jobs\z/, warning_with_services({ "jobs" => 8 }))
      end

      test "Kubernetes waits 30 seconds, or what the variable says" do
        assert_match(/Kubernetes kills the server after 30 s/, warning(KUBERNETES))
        assert_match(/after 46 s/, warning(KUBERNETES.merge(StopTime::GRACE_PERIOD => "46")))
        assert_nil warning(KUBERNETES.merge(StopTime::GRACE_PERIOD => "48"))
      end

      test "systemd is asked for the time if it listens" do
        systemd = { "SYSTEMD_EXEC_PID" => Process.pid.to_s }

        assert_match(/systemd kills the server after 90 s: use Type=notify/, warning(systemd, timeout: 60))
        assert_nil warning(systemd.merge("NOTIFY_SOCKET" => "/run/systemd/notify"), timeout: 60)
        assert_nil warning({ "SYSTEMD_EXEC_PID" => "1" }, timeout: 60)
        assert_nil warning(systemd)
      end

      test "one process only finishes its requests" do
        assert_nil warning({ "DYNO" => "web.1" }, worker_processes: 0)
      end

      test "nothing is known elsewhere" do
        assert_nil warning({}, timeout: 3600)
      end
    end
  end
end
