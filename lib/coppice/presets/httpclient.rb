# frozen_string_literal: true

Coppice::Presets.define(:httpclient, gem: "httpclient", constant: "HTTPClient",
  verdict: :advice,
  advice: "`before_fork`: `client.reset_all`",
  why: "A connection stays open for 15 s after its last use, and would be shared.",
  source: "lib/httpclient/session.rb")
