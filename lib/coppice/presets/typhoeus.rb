# frozen_string_literal: true

Coppice::Presets.define(:typhoeus, gem: "typhoeus", constant: "Typhoeus", versions: "1.7"..., tested: true,
  verdict: :unsafe,
  does: "never promotes a worker that has used it: see ethon",
  advice: "do not use it while the application boots. If every worker uses it, reforks stop: take another HTTP " \
          "client, or Typhoeus before 1.7",
  older: "nothing for `Typhoeus.get` and the like. Do not keep a Hydra beyond a request",
  why: "From 1.7 on every call raises `Ethon::Errors::ForkSafety` in a copy of a process that has used it.",
  source: "CHANGELOG.md (1.7.0)")
