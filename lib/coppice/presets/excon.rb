# frozen_string_literal: true

Coppice::Presets.define(:excon, gem: "excon", constant: "Excon::Connection",
  versions: "0.62"..., verdict: :handled,
  reconnecting: %w[Excon::Socket],
  does: "nothing: the library compares the pid and reconnects",
  advice: "nothing",
  why: "Two processes would read each other's answers.",
  source: "tried with 1.11.0, also with TLS; lib/excon/connection.rb")
