# frozen_string_literal: true

drop_samples = lambda do
  StackProf.stop
  StackProf.results
end

Coppice::Presets.define(:stackprof, gem: "stackprof", constant: "StackProf", versions: "0.2.28"..."1", tested: true,
  verdict: :acts, calls: { after_in_worker: drop_samples },
  does: "drops copied samples in every worker: `StackProf.results`",
  advice: "start a running profiler again in `after_worker_fork`",
  older: "`after_worker_fork`: `StackProf.stop; StackProf.results`",
  why: "A copy's profile would contain its parent's samples.",
  source: "ext/stackprof/stackprof.c (stackprof_atfork_child)")
