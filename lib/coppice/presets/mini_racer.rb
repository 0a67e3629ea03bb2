# frozen_string_literal: true

require "coppice/fork_safety/native_threads"

# Those that do not survive a fork. With :single_threaded there are none.
threads_of_v8 = -> { Coppice::ForkSafety::NativeThreads.any?("V8 ") }

Coppice::Presets.define(:mini_racer, gem: "mini_racer", constant: "MiniRacer::Context",
  verdict: :advice, unnamed_threads: true, used: threads_of_v8,
  restarted_natives: -> { threads_of_v8.call ? 0 : ObjectSpace.each_object(MiniRacer::Context).count },
  advice: "in an initializer: `MiniRacer::Platform.set_flags!(:single_threaded)`, before the first context; then " \
          "hooks need not dispose or reset contexts",
  why: "V8's threads do not exist in a copy. Without the flag each process makes its contexts anew, hundreds of MiB " \
       "each, and a promoted worker hands on those that it has not disposed.",
  source: "README.md (Fork Safety)")
