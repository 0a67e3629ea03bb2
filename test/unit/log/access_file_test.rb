# frozen_string_literal: true

require "io/wait"
require "test_helper"
require "coppice/board"
require "coppice/config/settings"
require "coppice/http/access_log"
require "coppice/log/access_file"
require_relative "../../support/http_harness"

module Coppice
  class Log
    class AccessFileTest < TestCase
      SET_PIPE_SIZE = 1031 # F_SETPIPE_SZ of <linux/fcntl.h>

      def settings(path) = Config::Settings.new(values: { access_log: [:text, path] }, config_file: "coppice.rb")

      test "a file that cannot be opened is a mistake in the configuration" do
        with_tmpdir do |folder|
          path = "#{folder}/none/access"
          error = assert_raises(ConfigError) { AccessFile.verify(settings(path)) }

          assert_equal "coppice.rb: access_log cannot be opened (No such file or directory @ rb_sysopen - #{path})",
            error.message
        end
      end

      test "a file that can be opened is made and left as it is, and standard output needs none" do
        with_tmpdir do |folder|
          2.times do
            AccessFile.verify(settings("#{folder}/access"))
            assert_path_exists "#{folder}/access"
            File.write("#{folder}/access", "line\n")
          end

          assert_equal "line\n", File.read("#{folder}/access")
          assert_nil AccessFile.verify(settings(nil))
        end
      end

      test "a named pipe without a reader is not waited for" do
        with_tmpdir do |folder|
          File.mkfifo("#{folder}/pipe")

          assert_raises(Errno::ENXIO) { AccessFile.open("#{folder}/pipe") }
        end
      end

      test "the reader of a named pipe does not take the start for the end" do
        with_tmpdir do |folder|
          File.mkfifo("#{folder}/pipe")
          File.open("#{folder}/pipe", File::RDONLY | File::NONBLOCK) do |reader|
            AccessFile.verify(settings("#{folder}/pipe"))

            refute reader.wait_readable(0)
          end
        end
      end

      test "the reader of a named pipe gets the lines, and those that find no room are dropped" do
        with_tmpdir do |folder|
          File.mkfifo("#{folder}/pipe")
          reader = File.open("#{folder}/pipe", File::RDONLY | File::NONBLOCK)
          reader.fcntl(SET_PIPE_SIZE, 4096)
          board = Board.create
          access_log = Http::AccessLog.new("#{folder}/pipe", json: false, worker: 3, generation: 1, record: board.lobby,
            networks: [])
          serve(access_log.lines) { board.lobby.log_lines_dropped.positive? }
          access_log.reopen
          serve(access_log.lines) { true }

          assert_match(%r{ path=/x+}, BoundedWait.readable(reader).gets)
        ensure
          [access_log, reader, board].compact.each(&:close)
        end
      end

      private

      # Requests with long lines, until the block is true.
      def serve(lines)
        harness = HttpHarness.new { |_env| [200, {}, []] }
        harness.connection.access_log = lines
        100.times do
          assert_equal 200, harness.serve("GET /#{'x' * 2000} HTTP/1.1\r\nHost: a\r\n\r\n").status
          return if yield
        end
        flunk "the pipe has too much room"
      end
    end
  end
end
