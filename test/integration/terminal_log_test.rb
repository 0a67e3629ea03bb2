# frozen_string_literal: true

# lane: soak -- a terminal in real time

require "test_helper"
require "fileutils"
require "rbconfig"
require_relative "../support/server"
require_relative "../support/terminal_window"

# A server that is started in a terminal.
class TerminalLogTest < Coppice::TestCase
  test "it shows a banner, then short lines of each process, and of an error where it happened" do
    serve do |window, server|
      assert window.wait_for(/\A  Coppice #{Coppice::VERSION}  Ruby /)
      assert window.wait_for(/\A  Address +#{server.socket_path}\z/)
      assert window.wait_for(/\A  Workers +1, reforking on USR2 only/)
      assert window.wait_for(/\A\d\d:\d\d:\d\d  mold · gen 0 +application loaded  rackup config.ru · seconds /)
      assert window.wait_for(/  monitor +all workers ready  gen 0 · workers 1\z/)
      refute window.shows?("level=")

      server.get("/%1B%5B2Jboom")
      assert window.wait_for(/  worker 0 · gen 0   error: application error  request GET/)
      assert window.wait_for(/\A    RuntimeError: \\u\{1b\}\[2J\z/)
      assert window.wait_for(/\A      config.ru:1:in /)
    end
  end

  test "log_format :text has the pairs on a terminal, too" do
    serve("--log-format", "text") do |window|
      assert window.wait_for(/level=info role=monitor .*msg="all workers ready"/)
      refute window.shows?(/\A  Address/)
    end
  end

  private

  APP = 'run ->(env) { raise "\e[2J" }'
  private_constant :APP

  # Yields the terminal, and a client of the server.
  def serve(*arguments)
    server = Server.new(app: nil)
    File.write(server.path("config.ru"), APP)
    with_gems = ["/usr/bin/env", "RUBYOPT=#{ENV.fetch('RUBYOPT', nil)}"]
    command = [*with_gems, "/bin/sh", "-c", 'cd "$0" && exec "$@"', server.folder, RbConfig.ruby, Server::EXECUTABLE,
               "-E", "production", "-l", server.socket_path, *arguments]
    TerminalWindow.open(*command, rows: 60, columns: 120) do |window|
      yield window, server
      window.signal(:TERM)
      assert_predicate window.wait_for_end, :success?
    end
  ensure
    FileUtils.remove_entry(server.folder)
  end
end
