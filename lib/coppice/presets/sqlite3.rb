# frozen_string_literal: true

# Of those that the library leaves open in a copy, the ones whose copies read wrongly.
read_only_in_wal_mode = lambda do
  ObjectSpace.each_object(SQLite3::Database).any? do |database|
    !database.closed? && database.readonly? && database.get_first_value("PRAGMA journal_mode") == "wal"
  end
end

# SQLite takes a new seed when it opens a file in another process: it keeps nothing else of this empty one.
reseed = -> { SQLite3::Database.new(File::NULL, readonly: true).close }

# Seen with 2.10.2, which has SQLite 3.54.1 (2026-11-28).
Coppice::Presets.define(:sqlite3, gem: "sqlite3", constant: "SQLite3::Database", versions: "2.1"..."3", tested: true,
  verdict: :advice, used: read_only_in_wal_mode, goodbye: :close, calls: { after_in_worker: reseed },
  does: "gives `random()` and `randomblob()` a new seed in every worker. The library closes a writable database in " \
        "each copy, and warns on standard error",
  advice: "nothing with Active Record, but for databases with `readonly: true` in WAL mode: `before_fork`: " \
          "`ActiveRecord::Base.connection_handler.clear_all_connections!(:all)`. Before Rails 8.0 " \
          "`SQLite3::ForkSafety.suppress_warnings!` silences the warning. Open other writable databases again when " \
          "`database.closed?`, and read-only ones in WAL mode, or with a statement that was not read to its end, in " \
          "`after_worker_fork`, after a `close` of its statements and of itself",
  older: "`before_fork`: close each database " \
         "(`ActiveRecord::Base.connection_handler.clear_all_connections!(:all)`), otherwise the file can be damaged",
  why: "A copied handle has lost its locks, also for new handles of the same file while it or a statement of it is " \
       "open. A read-only one in WAL mode reads old or mixed rows without an error, once the process that opened it " \
       "has exited.",
  source: "lib/sqlite3/fork_safety.rb, adr/2024-09-fork-safety.md; SQLite's os_unix.c (unixOpen)")
