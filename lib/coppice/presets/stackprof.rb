# frozen_string_literal: true

drop_samples = lambda do
  StackProf.stop
  StackProf.results
end

Coppice::Presets.define(:stackprof, gem: "stackprof", constant: "StackProf", versions: "0.2.28"..."1", tested: true,
  verdict: :acts, calls: { after_in_worker: drop_samples },
  does: "drops the samples of its parent in every worker: `StackProf.results`",
  advice: "a profiler that runs stops in a copy: start it again in `after_worker_fork`",
  older: "`after_worker_fork`: `StackProf.stop; StackProf.results`",
  why: "The samples are copied, and would be in the profile of each copy once more.",
  source: "ext/stackprof/stackprof.c (stackprof_atfork_child)")
