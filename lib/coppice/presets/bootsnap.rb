# frozen_string_literal: true

Coppice::Presets.define(:bootsnap, gem: "bootsnap", constant: "Bootsnap", versions: "1.4"..., tested: true,
  verdict: :handled,
  does: "nothing", advice: "nothing",
  why: "It only reads its cache, and replaces files atomically.",
  source: "lib/bootsnap/load_path_cache/store.rb")
