# frozen_string_literal: true

Coppice::Presets.define(:httpclient, gem: "httpclient", constant: "HTTPClient",
  verdict: :advice,
  advice: "`before_fork`: `client.reset_all`",
  why: "A connection is kept open for 15 s, and knows nothing of forks.",
  source: "lib/httpclient/session.rb")
