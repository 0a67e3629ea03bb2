# frozen_string_literal: true

Coppice::Presets.define(:duckdb, gem: "duckdb", constant: "DuckDB::Database",
  verdict: :advice, unnamed_threads: true,
  used: -> { ObjectSpace.each_object(DuckDB::Database).any? },
  advice: "open databases on the first use in each worker, files read-only. `before_fork`: close them, and forget them",
  why: "A copy writes to its parent's file without a lock: rows get lost without an error. Closing a copied database " \
       "hangs, unless `threads` is 1.",
  source: "tried with libduckdb 1.5.6, without the gem")
