# frozen_string_literal: true

Coppice::Presets.define(:dalli, gem: "dalli", constant: "Dalli::Client", tested: true,
  versions: ["3.2.12"..."3.3", "4.3.6"..."4.4", "5.0.9"..."5.1", "5.1.3"..."5.2", "5.2.1"...nil],
  verdict: :handled,
  reconnecting: %w[Dalli::Protocol::ConnectionManager],
  does: "nothing: the library compares the pid at each operation and reconnects",
  advice: "nothing",
  older: "upgrade: a copy may resend its parent's buffered writes, and ends its TLS connection",
  why: "Two processes would read each other's answers.",
  source: "lib/dalli/protocol/connection_manager.rb, CHANGELOG.md (GHSA-w39f-xq2m-4g8x)")
