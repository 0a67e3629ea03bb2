# frozen_string_literal: true

Coppice::Presets.define(:prometheus_client, gem: "prometheus-client", constant: "Prometheus::Client", versions: "2"...,
  tested: true, verdict: :advice,
  advice: "use `DirectFileStore`, empty its folder when the server starts, and give gauges another aggregation than " \
          "`:all`, which adds a series for each pid",
  why: "It is safe, but writes a file for each metric and each process that ever lived: every generation adds some, " \
       "and each scrape reads all of them.",
  source: "lib/prometheus/client/data_stores/direct_file_store.rb")
