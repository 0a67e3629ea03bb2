# frozen_string_literal: true

Coppice::Presets.define(:prometheus_client, gem: "prometheus-client", constant: "Prometheus::Client", versions: "2"...,
  tested: true, verdict: :advice,
  advice: "use `DirectFileStore`, and empty its folder when the server starts. Give gauges another aggregation than " \
          "`:all`, which adds a series for each pid",
  why: "Each process adds a file for each metric, and each scrape reads all files.",
  source: "lib/prometheus/client/data_stores/direct_file_store.rb")
