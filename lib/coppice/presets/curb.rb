# frozen_string_literal: true

Coppice::Presets.define(:curb, gem: "curb", constant: "Curl::Easy",
  versions: "1.4"..., verdict: :advice,
  advice: "`before_fork`: `easy.close` for each `Curl::Easy` that you keep; it reconnects. Close and forget each " \
          "`Curl::Multi`. `Curl.get` and the like need nothing",
  older: "`before_fork`: `Thread.current[:curb_curl] = nil`, and `easy.close` for each `Curl::Easy` that you keep",
  why: "A copy sends on its parent's connection, and gets the other's answers.",
  source: "tried with 1.4.1; lib/curl.rb")
