# frozen_string_literal: true

# Seen with 0.9.2.1 (2026-11-28).
Coppice::Presets.define(:numo_narray, gem: "numo-narray", constant: "Numo::NArray",
  verdict: :advice,
  advice: "if you draw random numbers, `after_worker_fork`: `Numo::NArray.srand(Random.new_seed % (2**64))`",
  why: "All processes would draw the same numbers.",
  source: "ext/numo/narray/rand.c")
