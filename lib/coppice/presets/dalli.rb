# frozen_string_literal: true

Coppice::Presets.define(:dalli, gem: "dalli", constant: "Dalli::Client", versions: "5.2.1"..., tested: true,
  verdict: :handled,
  reconnecting: %w[Dalli::Protocol::ConnectionManager],
  does: "nothing: the library compares the pid at each operation, and connects again",
  advice: "nothing",
  older: "upgrade (5.1.3, 5.0.9, 4.3.6 and 3.2.12 are fixed as well): a copy may send the parent's buffered writes " \
         "once more, and ends its TLS connection",
  why: "A shared socket would mix up the answers of two processes.",
  source: "lib/dalli/protocol/connection_manager.rb, CHANGELOG.md (GHSA-w39f-xq2m-4g8x)")
