# frozen_string_literal: true

# lane: soak -- redraws a terminal in real time

require "test_helper"
require "open3"
require "rbconfig"
require_relative "../../support/server"
require_relative "../../support/terminal_window"

# `coppice top`, of a real server.
class TopCommandTest < Coppice::TestCase
  APP = <<~RUBY
    run(lambda do |env|
      if env["PATH_INFO"] == "/slow"
        File.write("started", "") && IO.select([File.open("fifo")])
      end
      [200, { "content-type" => "text/plain" }, ["ok"]]
    end)
  RUBY

  test "a table once where there is no terminal" do
    serve do |server|
      3.times { server.get("/") }
      server.wait { server.ready_workers.all? { |row| row.started_ms.zero? } }
      table, status = Open3.capture2e(*command("--pid", server.pid, "--interval", "0.1"))

      assert_predicate status, :success?, table
      assert_match(/^coppice #{server.pid}  serving  generation 0  up \d+s  .*#{server.socket_path}$/, table)
      assert_match(/^slot +gen +pid state/, table)
      server.rows(:worker).each { |row| assert_match(/^ +#{row.nr} +0 +#{row.pid} idle /, table) }
      assert_match(/^ +0 +#{server.rows(:mold).first.pid} idle +mold /, table)
    end
  end

  test "on a terminal it shows the request in flight, and where it is" do
    serve do |server|
      File.mkfifo(server.path("fifo"))
      slow = Thread.new { server.get("/slow") }
      server.wait { File.exist?(server.path("started")) }
      top(server) do |window|
        assert window.wait_for("GET /slow")
        slot = server.rows(:worker).find { |row| row.started_ms.positive? }.nr
        window.type("j" * slot)
        window.type("\r")
        assert window.wait_for("config.ru:3")
        File.write(server.path("fifo"), "go")
        BoundedWait.value_of(slow)
        window.type("\e")
        window.wait { !window.shows?("GET /slow") }
        quit(window)
      end
    end
  end

  test "r and y start the next generation" do
    serve do |server|
      4.times { server.get("/") }
      top(server) do |window|
        window.wait_for("generation 0")
        window.type("r")
        window.wait_for("Refork now? y/n")
        window.type("y")

        assert window.wait_for("generation 1")
        quit(window)
      end
    end
  end

  test "x and y replace the selected worker" do
    serve do |server|
      before = server.rows(:worker).find { |row| row.nr == 1 }.pid
      top(server) do |window|
        window.wait_for("serving")
        window.type("jx")
        window.wait_for("Replace worker 1 by a fresh fork? y/n")
        window.type("y")
        server.wait { server.ready_workers.any? { |row| row.nr == 1 && row.pid != before } }

        assert window.wait { window.lines.none? { |line| line.include?(" #{before} ") } }
        quit(window)
      end
    end
  end

  test "it ends when the server does, and a signal ends it as it would end any program" do
    serve do |server|
      top(server) do |window|
        before = window.settings_before
        window.wait_for("serving")
        window.signal(:TERM)

        assert_equal Signal.list.fetch("TERM"), window.wait_for_end.termsig
        assert_equal before, window.settings
      end
      top(server) do |window|
        window.wait_for("serving")
        server.stop

        assert_equal 1, window.wait_for_end.exitstatus
        assert window.wait_for("coppice: the server (process #{server.pid}) has exited")
      end
    end
  end

  test "an interval must be a time" do
    output, status = Open3.capture2e(*command("--interval", "0"))

    assert_equal [2, "coppice: --interval 0.0: the shortest is 0.1 seconds\n"], [status.exitstatus, output]
  end

  private

  def serve(&block) = Server.open(app: APP, config: "worker_processes 2\n", &block)

  def command(*words) = [{ "RUBYOPT" => nil }, RbConfig.ruby, Server::EXECUTABLE, "top", *words.map(&:to_s)]

  def top(server, &block)
    TerminalWindow.open(*command(server.pid, "--interval", "0.1").drop(1), &block)
  end

  def quit(window)
    window.type("q")
    assert_predicate window.wait_for_end, :success?
  end
end
