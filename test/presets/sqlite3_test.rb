# frozen_string_literal: true

require_relative "support/preset_test_case"

module Coppice
  class Sqlite3PresetTest < PresetTestCase
    # Two processes write all the time. The busy handler of SQLite itself asks every 100 ms, and may find the lock taken
    # each time; that of the gem asks every millisecond.
    APP = <<~'RUBY'
      require "sqlite3"
      def database
        $database = nil if $database&.closed?
        $database ||= SQLite3::Database.new("test.sqlite3").tap do |database|
          database.busy_handler_timeout = 50_000
          database.execute("PRAGMA synchronous = OFF")
        end
      end
      database.execute("CREATE TABLE notes (pid INTEGER, token TEXT)")
      run(lambda do |env|
        database.execute("INSERT INTO notes VALUES (?, ?)", [Process.pid, env["QUERY_STRING"]])
        row = database.execute("SELECT token FROM notes WHERE pid = ? ORDER BY rowid DESC LIMIT 1", [Process.pid])
        intact = database.get_first_value("PRAGMA integrity_check")
        [intact == "ok" ? 200 : 500, {}, ["#{row.first.first} - #{Process.pid}"]]
      end)
    RUBY

    test "each process writes through a handle of its own" do
      assert_survives("Dir.chdir(__dir__)\n#{APP}")
    end
  end
end
