# frozen_string_literal: true

Coppice::Presets.define(:onnxruntime, gem: "onnxruntime", constant: "OnnxRuntime", versions: "0.11"..."1",
  verdict: :acts, exit_hangs: true, unnamed_threads: true,
  does: "ends processes without handlers of atexit(3)",
  advice: "nothing for models that one thread computes fast enough; otherwise load the model in `after_worker_fork`. " \
          "Not with `quick_exit false`",
  why: "The threads of a session do not exist in a copy: what it predicts is right, but one thread computes it. The " \
       "library's own end hangs or fails there, also with one thread, so that each refork and each stop would take " \
       "`stop_timeout` (seen with 0.11.8).",
  source: "tried on 2026-11-28")
