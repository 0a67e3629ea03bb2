# frozen_string_literal: true

require "coppice/fork_safety/native_threads"
require "coppice/fork_safety/thread_census"

# The compiler's threads have no names. Each timer has a thread.
used = lambda do
  Coppice::ForkSafety::NativeThreads.any?("wasmtime-engine") ||
    Coppice::ForkSafety::ThreadCensus.take.unnamed_natives.any?
end

Coppice::Presets.define(:wasmtime, gem: "wasmtime", constant: "Wasmtime::Engine", tested: true,
  verdict: :unsafe, unnamed_threads: true, used: used, calls: { unsafe: used },
  does: "never promotes a worker that has threads of the compiler, or the timer of an engine",
  advice: "`Wasmtime::Engine.new(parallel_compilation: false)`: then it compiles without threads. Create an engine " \
          "with a timer (`start_epoch_interval`) in `after_worker_fork`, and reforks stop",
  why: "Its threads do not exist in a copy, but count as running: compiling hangs, and a timer is silent, so that a " \
       "limit on foreign code has no effect. `start_epoch_interval` does not start it again.",
  source: "tried with 50.0.0")
