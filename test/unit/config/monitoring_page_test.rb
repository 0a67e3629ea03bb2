# frozen_string_literal: true

require "test_helper"
require "coppice/config/config_file"
require "coppice/observer/access"
require "coppice/observer/metrics"
require_relative "../../support/documentation"
require_relative "../../support/sample_stats"

module Coppice
  # What docs/monitoring.md shows is what there is.
  class MonitoringPageTest < TestCase
    PAGE = Documentation.new("monitoring.md")
    EXAMPLES = ["statsd-instrument", "Datadog (dogstatsd-ruby)", "Prometheus Pushgateway (prometheus-client)",
                "New Relic (newrelic_rpm)", "AppSignal (appsignal)"].freeze

    def evaluate(text)
      with_tmpdir do |folder|
        File.write(File.join(folder, "coppice.rb"), text)
        Config::ConfigFile.read("coppice.rb", directory: folder)
      end
    end

    test "each example of on_stats sets the hook and its interval" do
      EXAMPLES.each do |name|
        values = evaluate(PAGE.block(name))

        assert_kind_of Proc, values.hooks[:on_stats], name
        assert_includes values.values.keys, :stats_interval
      end
    end

    test "the examples read keys that there are" do
      EXAMPLES.each do |name|
        PAGE.block(name).scan(/stats\[:(\w+)\]\[:(\w+)\]/) do |outer, inner|
          assert_includes SampleStats.of.fetch(outer.to_sym).keys, inner.to_sym, name
        end
      end
    end

    test "the configurations are good" do
      assert_equal ["127.0.0.1:9293"], evaluate(PAGE.block("config/coppice.rb")).values[:admin_listen].map(&:to_s)
    end

    test "the server that Prometheus scrapes by name expects this name" do
      target = PAGE.block("prometheus.yml")[/targets: \["(.+?)"\]/, 1]
      hosts = evaluate(PAGE.block("config/coppice.rb on app-1")).values[:admin_hosts]
      access = Observer::Access.new(token: nil, hosts: Array(hosts))

      assert access.host_allowed?({ "HTTP_HOST" => target }), "#{target} is not expected"
    end

    test "the metrics it names exist" do
      names = Observer::METRICS.flat_map { |metric| [metric.full_name, metric.name.to_s, "#{metric.name}_bucket"] }
      text = File.read(File.join(Documentation::FOLDER, "monitoring.md"))

      assert_empty text.scan(/\bcoppice_[a-z]\w+/).uniq - names - %w[coppice_pss coppice_utilization coppice_token]
    end
  end
end
