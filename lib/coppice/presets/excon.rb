# frozen_string_literal: true

Coppice::Presets.define(:excon, gem: "excon", constant: "Excon::Connection",
  versions: "0.62"..., verdict: :handled,
  reconnecting: %w[Excon::Socket],
  does: "nothing: the library compares the pid, and connects again",
  advice: "nothing",
  why: "A shared socket would mix up the answers of two processes.",
  source: "lib/excon/connection.rb")
