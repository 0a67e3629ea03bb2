# frozen_string_literal: true

require "coppice/fork_safety/native_threads"

# These threads do not survive a fork. They start with the first context, and stay. With :single_threaded there are
# none.
threads_of_v8 = -> { Coppice::ForkSafety::NativeThreads.any?("V8 ") }

Coppice::Presets.define(:mini_racer, gem: "mini_racer", constant: "MiniRacer::Context", tested: true,
  verdict: :unsafe, unnamed_threads: true, used: threads_of_v8, calls: { unsafe: threads_of_v8 },
  restarted_natives: -> { threads_of_v8.call ? 0 : ObjectSpace.each_object(MiniRacer::Context).count },
  does: "never promotes a worker in which V8 has threads of its own",
  advice: "in an initializer: `MiniRacer::Platform.set_flags!(:single_threaded)`, before the first context. Then " \
          "there are none, and workers are promoted with their contexts",
  why: "V8's threads do not exist in a copy: without the flag a copy of a context hangs, and a timeout may end the " \
       "process.",
  source: "README.md (Fork Safety)")
