# frozen_string_literal: true

Coppice::Presets.define(:faraday, gem: "faraday", constant: "Faraday", versions: "2"..., tested: true,
  verdict: :handled,
  does: "nothing: the default adapter connects for each request",
  advice: "nothing with `:net_http` and `:net_http_persistent`. For `:typhoeus`, `:httpx` and `:http` see their " \
          "rows",
  older: "see the row of your adapter",
  why: "Some adapters keep connections.",
  source: "lib/faraday/adapter of faraday-net_http and faraday-net_http_persistent")
