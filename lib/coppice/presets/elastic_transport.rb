# frozen_string_literal: true

Coppice::Presets.define(:elastic_transport, gem: "elastic-transport", constant: "Elastic::Transport",
  verdict: :advice,
  advice: "see the row of the Faraday adapter that it takes: typhoeus where that is installed, then " \
          "net_http_persistent",
  why: "Its connections are those of Faraday's adapter.",
  source: "lib/elastic/transport/client.rb")
