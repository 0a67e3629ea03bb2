# frozen_string_literal: true

Coppice::Presets.define(:elastic_transport, gem: "elastic-transport", constant: "Elastic::Transport",
  verdict: :advice,
  advice: "see its Faraday adapter: with Faraday 2 the first loaded of faraday-patron, -typhoeus, -httpclient, " \
          "-net_http_persistent, -excon and async-http-faraday, otherwise Faraday's default",
  why: "It uses Faraday's connections.",
  source: "lib/elastic/transport/client.rb of 8.5.3")
