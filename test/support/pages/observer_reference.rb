# frozen_string_literal: true

require "coppice/observer/metrics"

module Coppice
  class Observer
    # Writes docs/metrics.md from the table of metrics. Only `rake docs` runs it.
    class Reference
      INTRODUCTION = <<~MARKDOWN
        # Metrics

        *This page is generated from `lib/coppice/observer/metrics.rb` by `rake docs`. Change it there.*

        `/metrics` on `admin_listen` serves them as Prometheus text, or as OpenMetrics 1.0 to clients that accept it. See
        [monitoring.md](monitoring.md) for how to turn it on. Durations are in seconds, sizes in bytes. A counter lasts
        as long as the server: it goes on when a worker is replaced, and never goes back. Counters of workers have the
        label `slot`; sum over it for the server. A metric whose value is unknown is left out, such as those of the
        ledger without `refork_after :auto`.
      MARKDOWN

      #: () -> String
      def to_markdown
        rows = METRICS.map { |metric| "| #{cells(metric).join(" | ")} |" }
        head = ["| metric | type | labels | meaning | in `/stats.json` |", "|---|---|---|---|---|"]
        [INTRODUCTION, *head, *rows, ""].join("\n")
      end

      private

      def cells(metric)
        labels = metric.labels.map { |label| "`#{label}`" }.join(", ")
        place = "`#{metric.from}`" unless metric.from.empty?
        ["`#{metric.full_name}`", metric.type, labels, metric.help, place].map(&:to_s)
      end
    end
  end
end
