# frozen_string_literal: true

Coppice::Presets.define(:onnxruntime, gem: "onnxruntime", constant: "OnnxRuntime", versions: "0.11"..."1",
  verdict: :acts, exit_hangs: true, unnamed_threads: true,
  does: "ends processes without handlers of atexit(3)",
  advice: "nothing, if one thread computes fast enough. Otherwise load the model in `after_worker_fork`. Do not set " \
          "`quick_exit false`",
  why: "A session's threads do not survive a fork: one thread computes. The library's exit handlers hang or fail in " \
       "a copy: each refork and stop would take `stop_timeout`.",
  source: "tried on 2026-11-28")
