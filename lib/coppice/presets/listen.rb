# frozen_string_literal: true

Coppice::Presets.define(:listen, gem: "listen", constant: "Listen",
  tested: true, verdict: :advice,
  advice: "start the listener in a `service`, or use one process in development",
  why: "Its threads do not survive a fork, and the inotify descriptor is shared.",
  source: "README.md")
