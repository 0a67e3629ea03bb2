# frozen_string_literal: true

# Its own note of that: handles may be garbage, and those of Typhoeus' pool can be cleared.
used = -> { Ethon::Curl.class_variable_get(:@@initialized) }

Coppice::Presets.define(:ethon, gem: "ethon", constant: "Ethon::Easy", versions: "0.19"..."0.20", tested: true,
  verdict: :unsafe, silent: true, calls: { unsafe: used },
  does: "never promotes a worker that has used it",
  advice: "do not use it while the application boots. If all workers use it, reforks stop: use another HTTP client, " \
          "or Ethon before 0.19",
  older: "nothing for `Typhoeus.get` and the like. Do not keep a Hydra or an `Ethon::Multi` beyond a request",
  why: "In a copy of a process that has used libcurl, each call raises `Ethon::Errors::ForkSafety`.",
  source: "lib/ethon/curl.rb, CHANGELOG.md (0.19.0)")
