# frozen_string_literal: true

Coppice::Presets.define(:ffi, gem: "ffi", constant: "FFI",
  versions: "1.17"..., verdict: :handled,
  restarts: %w[ffi],
  does: "nothing: the library restarts its thread",
  advice: "nothing",
  older: "upgrade, if you use asynchronous callbacks: before 1.16 they hang in a copy",
  why: "The thread for asynchronous callbacks does not survive a fork.",
  source: "lib/ffi/ffi.rb, CHANGELOG.md")
