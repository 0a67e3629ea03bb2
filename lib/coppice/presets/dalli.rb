# frozen_string_literal: true

Coppice::Presets.define(:dalli, gem: "dalli", constant: "Dalli::Client", tested: true,
  versions: ["3.2.12"..."3.3", "4.3.6"..."4.4", "5.0.9"..."5.1", "5.1.3"..."5.2", "5.2.1"...nil],
  verdict: :handled,
  reconnecting: %w[Dalli::Protocol::ConnectionManager],
  does: "nothing: the library compares the pid at each operation, and connects again",
  advice: "nothing",
  older: "upgrade: a copy may send the parent's buffered writes once more, and ends its TLS connection",
  why: "A shared socket would mix up the answers of two processes.",
  source: "lib/dalli/protocol/connection_manager.rb, CHANGELOG.md (GHSA-w39f-xq2m-4g8x)")
