# frozen_string_literal: true

# lane: soak -- a collector of other people's

require "test_helper"
require_relative "../support/admin_client"
require_relative "../support/server"

# A program that was written for Puma reads /puma/stats: the collector of prometheus_exporter.
class PumaStatsTest < Coppice::TestCase
  APP = 'run ->(_env) { [200, { "content-type" => "text/plain" }, ["served"]] }'

  # It asks Puma in its own process.
  PUMA = Class.new do
    attr_writer :client

    def stats = @client.get("/puma/stats").body
  end.new

  def setup
    require "prometheus_exporter"
    require "prometheus_exporter/instrumentation"
    require "prometheus_exporter/server"
    Object.const_set(:Puma, PUMA) unless Object.const_defined?(:Puma)
  rescue LoadError => error
    skip "needs the gem prometheus_exporter: #{error.message}"
  end

  test "prometheus_exporter collects a server's workers, threads and queue" do
    config = "worker_processes 3\nadmin_listen File.join(__dir__, 'admin')"
    Server.open(app: APP, config: config) do |server|
      PUMA.client = AdminClient.new(server.path("admin"))
      collected = PrometheusExporter::Instrumentation::Puma.new.collect

      assert_equal({ workers: 3, booted_workers: 3, old_workers: 0, phase: 0, running_threads: 3, max_threads: 3,
                     thread_pool_capacity: 3, request_backlog: 0 },
        collected.except(:pid, :type, :hostname, :metric_labels))
      collector = PrometheusExporter::Server::PumaCollector.new
      collector.collect(collected.transform_keys(&:to_s))

      assert_includes collector.metrics.map(&:to_prometheus_text).join, 'puma_workers{phase="0"} 3'
    end
  end
end
