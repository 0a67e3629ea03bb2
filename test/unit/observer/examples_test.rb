# frozen_string_literal: true

require "json"
require "open3"
require "test_helper"
require "coppice/observer/metrics"
require_relative "../../support/prometheus"

module Coppice
  class Observer
    # The examples for Prometheus and Grafana name only what there is, and the alerts fire when they should.
    class ExamplesTest < TestCase
      FOLDER = File.expand_path("../../../examples", __dir__)
      ALERTS = "#{FOLDER}/prometheus/alerts.yml".freeze

      # As they stand in queries.
      def names
        METRICS.flat_map do |metric|
          metric.type == :histogram ? %w[_bucket _sum _count].map { |part| "#{metric.name}#{part}" } : metric.full_name
        end
      end

      def names_in(expressions) = expressions.flat_map { |text| text.scan(/\bcoppice_\w+/) }.uniq

      def all_values(value, key)
        case value
        when Hash then [*value[key], *value.values.flat_map { |part| all_values(part, key) }]
        when Array then value.flat_map { |part| all_values(part, key) }
        else []
        end
      end

      test "Grafana's dashboard names metrics that there are, and has distinct panels" do
        dashboard = JSON.parse(File.read("#{FOLDER}/grafana/coppice.json"))
        expressions = all_values(dashboard, "expr") + all_values(dashboard, "query").grep(String)

        assert_operator expressions.size, :>, 20
        assert_empty names_in(expressions) - names
        ids = dashboard["panels"].map { |panel| panel["id"] }
        assert_equal ids.uniq, ids
      end

      test "Grafana's expressions can be parsed" do
        Prometheus.needed(self)
        dashboard = JSON.parse(File.read("#{FOLDER}/grafana/coppice.json"))
        rules = all_values(dashboard, "expr").each_with_index.map do |expression, index|
          plain = expression.gsub("$__rate_interval", "1m").gsub("$instance", ".*")
          { "record" => "example:#{index}", "expr" => plain }
        end
        with_tmpdir do |folder|
          File.write("#{folder}/rules.yml", JSON.generate("groups" => [{ "name" => "grafana", "rules" => rules }]))
          output, status = Open3.capture2e("promtool", "check", "rules", "#{folder}/rules.yml")

          assert_predicate status, :success?, output
        end
      end

      test "the alerts name metrics that there are" do
        expressions = File.read(ALERTS).lines.grep(/coppice_/)

        assert_operator expressions.size, :>=, 8
        assert_empty names_in(expressions) - names
      end

      test "each alert fires when it should" do
        Prometheus.needed(self)
        output, status = Open3.capture2e("promtool", "test", "rules", "alerts_test.yml", chdir: File.dirname(ALERTS))

        assert_predicate status, :success?, output
        alerts = File.read(ALERTS).scan(/alert: (\w+)/).flatten
        assert_empty(alerts.reject { |name| File.read("#{FOLDER}/prometheus/alerts_test.yml").include?(name) })
      end
    end
  end
end
