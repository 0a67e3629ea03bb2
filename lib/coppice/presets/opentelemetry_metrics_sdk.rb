# frozen_string_literal: true

preference = "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE"

# Seen with 0.22.0 (2026-11-28).
Coppice::Presets.define(:opentelemetry_metrics_sdk, gem: "opentelemetry-metrics-sdk",
  constant: "OpenTelemetry::SDK::Metrics",
  verdict: :advice, used: -> { ENV[preference] != "delta" },
  advice: "`OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE=delta` in the environment",
  why: "Each generation would export again what earlier ones have counted.",
  source: "lib/opentelemetry/sdk/metrics/aggregation/sum.rb, lib/opentelemetry/sdk/metrics/fork_hooks.rb")
