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
  advice: "`Wasmtime::Engine.new(parallel_compilation: false)` compiles without threads. Start no timer at boot: " \
          "call `start_epoch_interval` in `after_worker_fork` only; then reforks stop",
  why: "Its threads count as running but do not survive a fork: compiling hangs, and timers are silent, even of " \
       "new engines, so that limits on foreign code have no effect.",
  source: "tried with 50.0.0")
