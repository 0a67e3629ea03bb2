# frozen_string_literal: true

require "coppice/observer/metrics"

module Coppice
  class Observer
    # Writes docs/metrics.md from the table of metrics. Only `rake docs` runs it.
    class Reference
      INTRODUCTION = <<~MARKDOWN
        # Metrics

        *Generated from `lib/coppice/observer/metrics.rb` by `rake docs`. Change it there.*

        `curl localhost:9293/metrics` shows them with `admin_listen 9293`. [Monitoring](monitoring.md) has the
        configuration of Prometheus and the alerts. Two queries to begin with:

            sum by (status) (rate(coppice_responses_total[5m]))
            histogram_quantile(0.99, rate(coppice_application_seconds_bucket[5m]))

        - Names that end in `_total` are counters. They last as long as the server and never go back, also when a worker
          is replaced. Sum over the label `slot` for the whole server.
        - Histograms are marked; names that end in `_info` are constant; all others are gauges.
        - Durations are in seconds, sizes in bytes. An unknown value is left out.
        - The last column is the place in `/stats.json`, which [stats](stats.md) explains.
      MARKDOWN

      #: () -> String
      def to_markdown
        rows = METRICS.map { |metric| "| #{cells(metric).join(" | ")} |" }
        [INTRODUCTION, "| metric | meaning | `/stats.json` |", "|---|---|---|", *rows, ""].join("\n")
      end

      private

      def cells(metric)
        labels = "{#{metric.labels.join(",")}}" unless metric.labels.empty?
        help = metric.type == :histogram ? "#{metric.help} Histogram." : metric.help
        place = "`#{metric.from}`" unless metric.from.empty?
        ["`#{metric.full_name}#{labels}`", help, place.to_s]
      end
    end
  end
end
