# frozen_string_literal: true

Coppice::Presets.define(:bootsnap, gem: "bootsnap", constant: "Bootsnap", versions: "1.4"..., tested: true,
  verdict: :handled,
  does: "nothing", advice: "nothing",
  why: "Its cache is read, and files are replaced atomically: copies can load code at the same time.",
  source: "lib/bootsnap/load_path_cache/store.rb")
