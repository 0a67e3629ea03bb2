# frozen_string_literal: true

Coppice::Presets.define(:elastic_transport, gem: "elastic-transport", constant: "Elastic::Transport",
  verdict: :advice,
  advice: "see the row of the Faraday adapter that it takes: with Faraday 2 the first of patron, typhoeus, " \
          "httpclient, net_http_persistent, excon and async-http whose adapter is loaded (`faraday-typhoeus` for " \
          "instance), otherwise Faraday's default one",
  why: "Its connections are those of Faraday's adapter.",
  source: "lib/elastic/transport/client.rb of 8.5.3")
