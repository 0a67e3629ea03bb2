# frozen_string_literal: true

Coppice::Presets.define(:mini_racer, gem: "mini_racer", constant: "MiniRacer::Context",
  verdict: :advice, unnamed_threads: true,
  advice: "in an initializer: `MiniRacer::Platform.set_flags!(:single_threaded)`, before the first context",
  why: "V8's threads do not exist in a copy.",
  source: "README.md (Fork Safety)")
