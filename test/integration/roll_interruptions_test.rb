# frozen_string_literal: true

# lane: soak -- each test boots several releases

require "test_helper"
require_relative "../support/gate"
require_relative "../support/releases"

# What a user asks for while a release boots, or while a refork goes on. No client notices.
class RollInterruptionsTest < Coppice::TestCase
  include Releases

  test "a refork and another number of workers are asked for during a roll" do
    with_releases(:one, :two, apps: GATED) do |server, directories|
      unnoticed(server) do
        while_it_boots(server, directories) do
          server.signal(:USR2)
          server.signal(:TTIN)
          server.wait { server.ready_workers.size == 3 }
          server.signal(:TTIN)
          server.signal(:TTOU)
        end
        assert_served_by(server, 2)
      end

      assert_equal [3, 3], [server.board.workers_count, server.ready_workers.size]
    end
  end

  test "a roll that is asked for during a refork waits for its end" do
    config = "worker_processes 2\ncanary false\nspawn_timeout 60\nafter_mold_fork { #{Gate.code('mold')} }"
    with_releases(:one, :two, configs: { one: config }) do |server, directories|
      unnoticed(server) do
        roll = nil
        Gate.new(File.join(directories[:one], "mold")).closed do
          server.signal(:USR2)
          server.wait { server.rows(:mold).size == 2 }
          roll = Thread.new { coppice(server, "roll", directories[:two]) }
          server.wait { server.board.releases_count == 2 }

          assert_equal [1, 1], server.rows(:mold).map(&:release_number)
        end
        output, status = BoundedWait.value_of(roll, ROLL)

        assert_predicate status, :success?, output
        assert_served_by(server, 2)
        assert_operator server.board.generation, :>, 1
      end
    end
  end

  test "a server that stops takes no roll, and one that rolls stops" do
    busy = "run(lambda { |env| #{Gate.code('busy')} if env['PATH_INFO'] == '/busy'; [200, {}, ['one']] })"
    with_releases(:one, :two, apps: { one: busy, **GATED }) do |server, directories|
      request = nil
      output, status = while_it_boots(server, directories) do
        Gate.new(File.join(directories[:one], "busy")).closed do
          request = Thread.new { server.get("/busy") }
          server.wait { server.ready_workers.any? { |row| row.started_ms.positive? } }
          server.signal(:TERM)
          server.wait { server.board.shutting_down == 1 }
          server.signal(:USR1)

          assert_match(/the server is stopping/, coppice(server, "roll", directories[:two]).first)
        end
      end

      assert_equal [1, true], [status.exitstatus, output.include?("the server is stopping")]
      assert_equal 200, BoundedWait.value_of(request).status
      assert_equal 0, server.wait_for_end.exitstatus
    end
  end
end
