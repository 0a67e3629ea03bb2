# frozen_string_literal: true

Coppice::Presets.define(:bunny, gem: "bunny", constant: "Bunny::Session", versions: "2"..., tested: true,
  verdict: :advice,
  advice: "`before_fork`: close and forget the session. Connect on the next use",
  why: "Its threads do not survive a fork, and the connection is shared.",
  source: "docs/guides/connecting.md")
