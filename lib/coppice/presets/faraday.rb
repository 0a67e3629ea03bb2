# frozen_string_literal: true

Coppice::Presets.define(:faraday, gem: "faraday", constant: "Faraday", versions: "2"..., tested: true,
  verdict: :handled,
  does: "nothing: the default adapter opens a connection for each request",
  advice: "nothing with the adapters `:net_http` and `:net_http_persistent`. For `:typhoeus`, `:httpx` and `:http` " \
          "see their rows",
  older: "look at the row of your adapter",
  why: "Adapters differ: some keep connections.",
  source: "lib/faraday/adapter of faraday-net_http and faraday-net_http_persistent")
