# frozen_string_literal: true

Coppice::Presets.define(:opentelemetry_sdk, gem: "opentelemetry-sdk", constant: "OpenTelemetry::SDK",
  versions: "1.10"..., tested: true, verdict: :handled,
  restarts: %w[opentelemetry-sdk opentelemetry-logs-sdk opentelemetry-metrics-sdk],
  does: "nothing: the batch processor compares the pid at the next span, clears its buffer and starts its thread " \
        "again",
  advice: "`before_worker_exit`: `OpenTelemetry.tracer_provider.force_flush`, otherwise the last spans are lost",
  older: "nothing",
  why: "Threads do not exist in a copy, and its buffers are copies.",
  source: "sdk/lib/opentelemetry/sdk/trace/export/batch_span_processor.rb")
