# frozen_string_literal: true

require "coppice/fork_safety/native_threads"

# These threads do not survive a fork. They start with the first context, and stay. With :single_threaded there are
# none.
threads_of_v8 = -> { Coppice::ForkSafety::NativeThreads.any?("V8 ") }

Coppice::Presets.define(:mini_racer, gem: "mini_racer", constant: "MiniRacer::Context", tested: true,
  verdict: :unsafe, unnamed_threads: true, used: threads_of_v8, calls: { unsafe: threads_of_v8 },
  restarted_natives: -> { threads_of_v8.call ? 0 : ObjectSpace.each_object(MiniRacer::Context).count },
  does: "never promotes a worker that has threads of V8",
  advice: "before the first context, in an initializer: `MiniRacer::Platform.set_flags!(:single_threaded)`. Then " \
          "workers are promoted",
  why: "V8's threads do not survive a fork: a copied context hangs, and a timeout may end the process.",
  source: "README.md (Fork Safety)")
