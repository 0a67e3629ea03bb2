# frozen_string_literal: true

require "coppice/observer/metrics"

module Coppice
  class Observer
    # The text of /metrics, in the format of Prometheus or as OpenMetrics. They differ in the names in the lines of TYPE
    # and HELP, in the line of UNIT, in the type of information, and in the last line.
    class Exposition
      ESCAPES = { "\\" => "\\\\", "\n" => "\\n", "\"" => "\\\"" }.freeze

      #: () -> String
      def content_type = "text/plain; version=0.0.4; charset=utf-8"

      #: (Hash[Symbol, untyped]) -> String
      def text(stats)
        METRICS.each_with_object(+"") do |metric, lines|
          samples = metric.samples(stats)
          next if samples.empty?

          lines << head(metric)
          samples.each { |labels, value| lines << sample(metric, labels, value) }
        end
      end

      private

      def head(metric)
        type = metric.type == :info ? :gauge : metric.type
        "# HELP #{metric.full_name} #{metric.help}\n# TYPE #{metric.full_name} #{type}\n"
      end

      def sample(metric, labels, value)
        return buckets(metric, labels, value) if metric.type == :histogram

        line(metric.full_name, labels, value)
      end

      # Of the histogram's fine buckets only every fourth bound: they double.
      def buckets(metric, labels, histogram)
        below = 0
        bounds = histogram[:le].each_with_index.filter_map do |bound, place|
          below += histogram[:counts][place]
          line("#{metric.name}_bucket", labels.merge(le: bound), below) if (place % 4).zero?
        end
        [*bounds, line("#{metric.name}_bucket", labels.merge(le: "+Inf"), histogram[:count]),
         line("#{metric.name}_sum", labels, histogram[:sum]),
         line("#{metric.name}_count", labels, histogram[:count])].join
      end

      def line(name, labels, value)
        pairs = labels.map { |label, text| "#{label}=\"#{text.to_s.gsub(/[\\\n"]/, ESCAPES)}\"" }
        "#{name}#{"{#{pairs.join(",")}}" unless pairs.empty?} #{value}\n"
      end
    end
  end
end
