# frozen_string_literal: true

# Seen with 0.9.2.1 (2026-11-28).
Coppice::Presets.define(:numo_narray, gem: "numo-narray", constant: "Numo::NArray",
  verdict: :advice,
  advice: "`after_worker_fork`: `Numo::NArray.srand(Random.new_seed % (2**64))`, if you draw random numbers",
  why: "Its generator begins with the same seed in every process, and copies draw the same numbers. `srand` without " \
       "an argument takes the time and the pid.",
  source: "ext/numo/narray/rand.c")
