# frozen_string_literal: true

Coppice::Presets.define(:skylight, gem: "skylight", constant: "Skylight",
  verdict: :advice,
  advice: "`after_worker_fork`: `Skylight.stop!; Skylight.start!`. Test it: the native part is not published",
  why: "Its threads do not survive a fork.",
  source: "no code for forks in the Ruby part")
