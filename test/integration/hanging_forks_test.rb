# frozen_string_literal: true

# lane: soak -- waits for limits of seconds

require "test_helper"
require_relative "../support/gate"
require_relative "../support/server"

# Forks that hang, each at another place: what hangs is ended after `spawn_timeout`, and another fork is tried.
class HangingForksTest < Coppice::TestCase
  test "a worker that hangs in its hook does not outlive the monitor" do
    config = "worker_processes 2\nafter_worker_fork { |_server, worker| #{Gate.code('gate')} if File.exist?('hang') }"
    Server.open(app: "run ->(_env) { [200, {}, []] }", config: config) do |server|
      Gate.new(server.path("gate")).closed do
        File.write(server.path("hang"), "")
        server.signal(:KILL, to: server.ready_workers.first.pid)
        hanging = server.wait { server.rows(:worker).find { |row| !row.ready? } }.pid
        server.signal(:KILL)
        server.wait_for_end
        eventually { !File.exist?("/proc/#{hanging}") }
      end
    end
  end

  # A library's hook on fork that takes a lock in the child: one for the middle process, where there is one, another for
  # the sibling.
  # /hold begins a thread that prevents forks forever.
  APP = <<~RUBY.freeze
    module Hook
      @forks = 0

      class << self
        def forked
          @forks += 1
          middle = @forks.odd?
          middle ? pass("middle") { #{Gate.code('middle')} } : pass("sibling") { #{Gate.code('sibling')} }
        end

        def pass(place)
          File.write("\#{place}s", "\#{Process.pid}\\n", mode: "a")
          yield
        end
      end

      def _fork = super.tap { |pid| Hook.forked if pid.zero? }
    end
    Process.singleton_class.prepend(Hook)

    def hold
      held = Queue.new
      Thread.new { Coppice.prevent_fork { (held << true) && Thread.stop } }
      held.pop
    end

    run(lambda do |env|
      hold if env["PATH_INFO"] == "/hold"
      [200, { "content-type" => "text/plain" }, [Process.pid.to_s]]
    end)
  RUBY

  CONFIG = <<~RUBY
    worker_processes 2
    spawn_timeout 2
    refork_backoff 0.1
  RUBY

  def serve(&block) = Server.open(app: APP, config: CONFIG, &block)

  # Keeps the lock for this place until one process that waits for it was ended and the next one has come there.
  def hang(server, place)
    forks = -> { File.readlines(server.path("#{place}s")).map(&:to_i) }
    before = forks.call
    Gate.new(server.path(place)).closed do
      yield
      server.wait(60) do
        hung, successor = forks.call - before
        successor && !File.exist?("/proc/#{hung}")
      end
    end
  end

  %w[middle sibling].each do |place|
    test "when the fork of a worker hangs in the #{place}, that is ended, and another one forked" do
      serve do |server|
        victim = server.ready_workers.first.pid
        hang(server, place) { server.signal(:KILL, to: victim) }
        server.wait(60) { server.gone?(victim) && server.settled?(0) }

        assert_equal 200, server.get.status
      end
    end

    test "when the fork of a mold hangs in the #{place}, that is ended, and another one forked" do
      serve do |server|
        before = server.ready_workers.map(&:pid).sort
        hang(server, place) do
          server.signal(:USR2)

          assert_equal 200, server.get.status
        end
        server.wait(60) { server.settled?(1) }

        assert_empty before & server.ready_workers.map(&:pid)
      end
    end
  end

  test "a worker that a thread of its own keeps from forking goes on, and another one is promoted" do
    serve do |server|
      holder = server.get("/hold").body.to_i
      server.wait { server.ready_workers.any? { |row| row.requests.positive? } } # else another one is promoted
      server.signal(:USR2)
      mold = server.wait(60) { server.rows(:mold).find { |row| row.generation.positive? } } # another one could fork

      assert_path_exists "/proc/#{holder}"
      server.wait(60) { server.settled?(mold.generation) }
    end
  end
end
