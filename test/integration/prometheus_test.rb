# frozen_string_literal: true

# lane: soak -- runs Prometheus' own programs

require "open3"
require "test_helper"
require_relative "../support/admin_client"
require_relative "../support/loopback_ports"
require_relative "../support/prometheus"
require_relative "../support/server"

# Prometheus's own programs read what the observer serves.
class PrometheusTest < Coppice::TestCase
  APP = 'run ->(_env) { [200, { "content-type" => "text/plain" }, ["served"]] }'

  def setup
    Prometheus.needed(self)
  end

  def serve
    port = LoopbackPorts.free(1).first
    config = "worker_processes 2\nadmin_listen #{port}\nrefork_after :auto"
    Server.open(app: APP, config: config) { |server| yield server, AdminClient.new(port), "127.0.0.1:#{port}" }
  end

  def value(prometheus, expression) = prometheus.query(expression)&.first&.last&.round

  test "promtool finds nothing wrong in the text of a live server" do
    serve do |server, admin, _|
      3.times { server.get }
      output, status = Open3.capture2e("promtool", "check", "metrics", stdin_data: admin.get("/metrics").body)

      assert_equal ["", true], [output, status.success?]
    end
  end

  test "Prometheus scrapes a server, and no counter goes back when workers and the observer are replaced" do
    serve do |server, _, target|
      Prometheus.scraping(target) do |prometheus|
        server.wait { value(prometheus, "up") == 1 }
        5.times { server.get }
        server.wait { value(prometheus, "sum(coppice_requests_total)") == 5 }
        server.signal(:USR2)
        server.wait { server.settled?(1) }
        server.signal(:KILL, to: server.rows(:observer).first.pid)
        5.times { server.get }
        server.wait { value(prometheus, "sum(coppice_requests_total)") == 10 }

        assert_equal({}, prometheus.resets("1h"))
        server.wait { value(prometheus, "coppice_generation") == 1 } # none while the last scrape has failed
        assert_equal ["info", "Version of Coppice, and the Ruby that runs it."],
          prometheus.metadata("coppice").first.values_at("type", "help") # from OpenMetrics
      end
    end
  end
end
