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

      test "the longest stop is the delay, the clients in the queue, and one more request" do
        assert_match(/may take 47 s .* but Heroku kills the server after 30 s/, warning({ "DYNO" => "web.1" }))
        assert_nil warning({ "DYNO" => "web.1" }, timeout: 13, timeout_cleanup: 2, shutdown_delay: 2)
      end

      test "services exit before that, if they take longer than the delay" do
        services = { "jobs" => 8, "quick" => 1 }.map do |name, seconds|
          Config::ServiceDefinition.new(name: name, timeout: seconds)
        end
        values = { worker_processes: 2, timeout: 20, timeout_cleanup: 2, shutdown_delay: 5 }
        settings = Config::Settings.new(values: values, services: services)
        text = StopTime.new(settings, { "DYNO" => "web.1" }).warning

        assert_match(/may take 50 s \(timeout of service jobs \+ timeout/, text)
      end

      test "Kubernetes waits 30 seconds, or what the variable says" do
        assert_match(/Kubernetes kills the server after 30 s/, warning(KUBERNETES))
        assert_match(/after 46 s/, warning(KUBERNETES.merge(StopTime::GRACE_PERIOD => "46")))
        assert_nil warning(KUBERNETES.merge(StopTime::GRACE_PERIOD => "47"))
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
