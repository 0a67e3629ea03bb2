# frozen_string_literal: true

Coppice::Presets.define(:ffi, gem: "ffi", constant: "FFI",
  versions: "1.17"..., verdict: :handled,
  restarts: %w[ffi],
  does: "nothing: the library starts it again",
  advice: "nothing",
  older: "Before 1.16 asynchronous callbacks hang in a copy",
  why: "The thread that dispatches asynchronous callbacks does not exist in a copy.",
  source: "lib/ffi/ffi.rb, CHANGELOG.md")
