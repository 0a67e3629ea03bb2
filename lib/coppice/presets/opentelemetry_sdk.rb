# frozen_string_literal: true

Coppice::Presets.define(:opentelemetry_sdk, gem: "opentelemetry-sdk", constant: "OpenTelemetry::SDK",
  versions: "1.10"..., tested: true, verdict: :handled,
  restarts: %w[opentelemetry-sdk opentelemetry-logs-sdk opentelemetry-metrics-sdk],
  does: "nothing: at the next span or log record the library clears its buffer and restarts its thread",
  advice: "`before_worker_exit`: `OpenTelemetry.tracer_provider.force_flush`, or the last " \
          "spans are lost; for logs the same of `logger_provider`",
  older: "nothing",
  why: "Its threads do not survive a fork, and its buffers are copied.",
  source: "sdk/lib/opentelemetry/sdk/trace/export/batch_span_processor.rb")
