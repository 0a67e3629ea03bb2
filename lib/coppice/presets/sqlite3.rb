# frozen_string_literal: true

Coppice::Presets.define(:sqlite3, gem: "sqlite3", constant: "SQLite3::Database", versions: "2.1"..."3", tested: true,
  verdict: :handled, goodbye: :close,
  does: "nothing: the library closes a writable database in each copy, and warns on standard error",
  advice: "open the database anew in `after_worker_fork`, or when `database.closed?`. Active Record does that; with " \
          "Rails before 8.0 `SQLite3::ForkSafety.suppress_warnings!` silences the warning",
  older: "`before_fork`: close each database " \
         "(`ActiveRecord::Base.connection_handler.clear_all_connections!(:all)`), otherwise the file can be damaged",
  why: "SQLite cannot use a handle in another process than the one that has opened it: locks are lost.",
  source: "lib/sqlite3/fork_safety.rb, adr/2024-09-fork-safety.md")
