# frozen_string_literal: true

Coppice::Presets.define(:prometheus_exporter, gem: "prometheus_exporter", constant: "PrometheusExporter",
  verdict: :advice, minor_threads: true,
  advice: "`after_worker_fork`: start the instrumentations, such as " \
          "`PrometheusExporter::Instrumentation::Process.start(type: \"web\")`",
  why: "Their threads do not survive a fork.",
  source: "README.md, lib/prometheus_exporter/client.rb")
