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

    # Another program writes the token, which no connection but the read-only one of each process keeps open.
    READ_ONLY = <<~'RUBY'
      require "sqlite3"
      PATH = File.join(__dir__, "test.sqlite3")
      WRITE = <<~WRITER
        require "sqlite3"
        $stdout.sync = true
        while (pid, token = $stdin.gets&.split)
          SQLite3::Database.new(ARGV.first) do |database|
            database.busy_handler_timeout = 50_000
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("CREATE TABLE IF NOT EXISTS notes (pid INTEGER PRIMARY KEY, token TEXT)")
            database.execute("INSERT OR REPLACE INTO notes VALUES (?, ?)", [pid, token])
          end
          puts token
        end
      WRITER
      def writer
        $writer = nil unless $writer_of == Process.pid
        $writer_of = Process.pid
        $writer ||= IO.popen([RbConfig.ruby, "-e", WRITE, PATH], "r+")
      end
      def write(token)
        writer.puts("#{Process.pid} #{token}")
        writer.gets or raise "no answer"
      end
      OPEN_ANEW = lambda do
        $database&.close
        $database = SQLite3::Database.new(PATH, readonly: true).tap { |database| database.busy_handler_timeout = 50_000 }
      end
      write("none")
      OPEN_ANEW.call.execute("SELECT * FROM notes")
      run(lambda do |env|
        write(env["QUERY_STRING"])
        token = $database.get_first_value("SELECT token FROM notes WHERE pid = ?", [Process.pid])
        [200, {}, ["#{token || "none"} - #{Process.pid}"]]
      end)
    RUBY

    test "a read-only database in WAL mode that after_worker_fork opens anew" do
      assert_survives(READ_ONLY, config: "after_worker_fork { ::OPEN_ANEW.call }")
    end

    test "a copy of a read-only database in WAL mode reads an old state" do
      assert_match(/: got "/, failures_of(READ_ONLY).first)
    end

    ACTIVE_RECORD = READ_ONLY.sub(/OPEN_ANEW = .*/m, <<~'RUBY').freeze
      require "active_record"
      write("none")
      class Note < ActiveRecord::Base; self.primary_key = "pid"; end
      ActiveRecord::Base.establish_connection(adapter: "sqlite3", database: PATH, readonly: true, timeout: 50_000)
      CLEAR = -> { ActiveRecord::Base.connection_handler.clear_all_connections!(:all) }
      Note.count
      run(lambda do |env|
        write(env["QUERY_STRING"])
        token = Note.uncached { Note.find_by(pid: Process.pid)&.token }
        [200, {}, ["#{token || "none"} - #{Process.pid}"]]
      end)
    RUBY

    test "a read-only database in WAL mode of Active Record, which before_fork closes" do
      assert_survives(ACTIVE_RECORD, config: "before_fork { ::CLEAR.call }")
    end

    test "Active Record reads an old state of a read-only database in WAL mode through a copy's new connection" do
      assert_match(/: got "/, failures_of(ACTIVE_RECORD).first)
    end

    # The connection is the number that a database in memory has drawn.
    RANDOM = <<~'RUBY'
      require "sqlite3"
      SQLite3::ForkSafety.suppress_warnings!
      def draw = SQLite3::Database.new(":memory:") { |database| return database.get_first_value("SELECT hex(randomblob(16))") }
      draw
      run ->(env) { [200, {}, ["#{env["QUERY_STRING"]} #{draw} #{Process.pid}"]] }
    RUBY

    test "processes draw different random numbers" do
      assert_survives(RANDOM)
      assert_fails_without(:sqlite3, RANDOM, with: /: connection \S+ of \d+ was used by \d+/)
    end
  end
end
