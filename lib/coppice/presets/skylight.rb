# frozen_string_literal: true

Coppice::Presets.define(:skylight, gem: "skylight", constant: "Skylight",
  verdict: :advice,
  advice: "`after_worker_fork`: `Skylight.stop!; Skylight.start!`, and try it: the native part is not published",
  why: "Its instrumenter has threads, which do not exist in a copy.",
  source: "no code for forks in the Ruby part")
