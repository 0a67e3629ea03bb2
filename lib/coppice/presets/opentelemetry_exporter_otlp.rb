# frozen_string_literal: true

Coppice::Presets.define(:opentelemetry_exporter_otlp, gem: "opentelemetry-exporter-otlp",
  constant: "OpenTelemetry::Exporter::OTLP::Exporter", versions: "0.30"..., tested: true, verdict: :acts,
  does: "detaches its connection: see net-http",
  advice: "nothing",
  older: "nothing",
  why: "Two processes would send on one connection.",
  source: "exporter/otlp/lib/opentelemetry/exporter/otlp/exporter.rb")
