# frozen_string_literal: true

Coppice::Presets.define(:ffi, gem: "ffi", constant: "FFI",
  versions: "1.17.1"..., verdict: :handled,
  restarts: %w[ffi],
  does: "nothing: the library restarts its thread",
  advice: "nothing",
  older: "upgrade, if you use asynchronous callbacks: they hang in a copy",
  why: "The thread for asynchronous callbacks does not survive a fork.",
  source: "tried with 1.15.5, 1.16.3, 1.17.0, 1.17.1 and 1.17.4; lib/ffi/ffi.rb, CHANGELOG.md (1.17.1)")
