# frozen_string_literal: true

Coppice::Presets.define(:typhoeus, gem: "typhoeus", constant: "Typhoeus", versions: "1.7"..., tested: true,
  verdict: :unsafe,
  does: "never promotes a worker that has used it: see ethon",
  advice: "do not use it while the application boots. If all workers use it, see ethon; Typhoeus before 1.7 can be " \
          "forked",
  older: "nothing for `Typhoeus.get` and the like. Do not keep a Hydra beyond a request",
  why: "In a copy of a process that has used it, each call raises `Ethon::Errors::ForkSafety`.",
  source: "CHANGELOG.md (1.7.0)")
