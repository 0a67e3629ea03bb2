# frozen_string_literal: true

Coppice::Presets.define(:bunny, gem: "bunny", constant: "Bunny::Session", versions: "2"..., tested: true,
  verdict: :advice,
  advice: "`before_fork`: close the session and forget it. Connect when it is next used",
  why: "The threads that read answers and send heartbeats do not exist in a copy, and two processes would send on " \
       "one connection.",
  source: "docs/guides/connecting.md")
