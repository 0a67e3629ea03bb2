# frozen_string_literal: true

Coppice::Presets.define(:lmdb, gem: "lmdb", constant: "LMDB::Environment",
  verdict: :advice,
  advice: "`before_fork`: `environment.close`, and forget its databases. Open it on the next use",
  why: "Reads raise `LMDB::Error::BAD_RSLOT`, and a writer may reuse what a copy still reads.",
  source: "tried with 0.8.1; the manual of LMDB (Caveats)")
