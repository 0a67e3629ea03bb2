# frozen_string_literal: true

# The profiles of a mold were seen with 2.47.0 (2026-11-28).
Coppice::Presets.define(:datadog, gem: "datadog", constant: "Datadog::Tracing", versions: "2.47"..."3", tested: true,
  verdict: :handled,
  restarts: %w[datadog],
  does: "nothing: the library restarts its threads in each copy",
  advice: "nothing. With profiling, molds upload idle profiles",
  older: "nothing for tracing, metrics and profiling. Remote configuration (AppSec, dynamic instrumentation) may " \
         "stop after a fork: `DD_REMOTE_CONFIGURATION_ENABLED=false`",
  why: "Its threads do not survive a fork.",
  source: "lib/datadog/core/utils/at_fork_monkey_patch.rb, lib/datadog/core/remote/worker.rb")
