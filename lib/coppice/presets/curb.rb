# frozen_string_literal: true

Coppice::Presets.define(:curb, gem: "curb", constant: "Curl::Easy",
  verdict: :advice,
  advice: "`before_fork`: `Thread.current[:curb_curl] = nil`, and forget every `Curl::Easy`",
  why: "`Curl.get` keeps a handle with its open connection, which knows nothing of forks.",
  source: "lib/curl.rb")
