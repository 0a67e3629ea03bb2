# frozen_string_literal: true

Coppice::Presets.define(:curb, gem: "curb", constant: "Curl::Easy",
  versions: "1.4"..., verdict: :advice,
  advice: "`before_fork`: `easy.close` for every `Curl::Easy` that is kept, which connects again when it is next " \
          "used. `Curl.get` and the like need nothing",
  older: "`before_fork`: `Thread.current[:curb_curl] = nil`, and `easy.close` for every `Curl::Easy` that is kept",
  why: "A `Curl::Easy` keeps its connection and knows nothing of forks: a copy sends on that of its parent, and gets " \
       "the other's answers.",
  source: "tried with 1.4.1; lib/curl.rb")
