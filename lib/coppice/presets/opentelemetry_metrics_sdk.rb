# frozen_string_literal: true

preference = "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE"

# Seen with 0.22.0 (2026-11-28).
Coppice::Presets.define(:opentelemetry_metrics_sdk, gem: "opentelemetry-metrics-sdk",
  constant: "OpenTelemetry::SDK::Metrics",
  verdict: :advice, used: -> { ENV[preference] != "delta" },
  advice: "set `#{preference}=delta` in the environment",
  why: "Cumulative sums of a copy begin with those of its parent: every generation, also its mold, exports once more " \
       "what earlier ones have counted. Differences (`delta`) are right.",
  source: "lib/opentelemetry/sdk/metrics/aggregation/sum.rb, lib/opentelemetry/sdk/metrics/fork_hooks.rb")
