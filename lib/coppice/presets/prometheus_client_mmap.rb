# frozen_string_literal: true

# Seen with 1.7.2 (2026-11-29).
Coppice::Presets.define(:prometheus_client_mmap, gem: "prometheus-client-mmap",
  constant: "Prometheus::Client::MmapedValue", verdict: :advice,
  advice: "set `multiprocess_files_dir`, and empty it when the server starts. Give gauges another aggregation than " \
          "`:all`, which adds a series for each pid",
  why: "Each process adds files, and each scrape reads all files.",
  source: "README.md, lib/prometheus/client/mmaped_value.rb")
