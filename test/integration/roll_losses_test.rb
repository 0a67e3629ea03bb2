# frozen_string_literal: true

# lane: soak -- each test boots several releases

require "test_helper"
require_relative "../support/releases"

# Molds of either release are killed during a roll and after it, and directories removed. No client notices.
class RollLossesTest < Coppice::TestCase
  include Releases

  # Each canary lasts until somebody ends it.
  CANARY = "worker_processes 2\ncanary_requests 1000000\ncanary_time 3600"

  def kill(server, pid)
    server.signal(:KILL, to: pid)
    server.wait { server.gone?(pid) }
  end

  test "the running release's mold is killed while the next one boots" do
    with_releases(:one, :two, apps: GATED) do |server, directories|
      unnoticed(server) do
        output, status = while_it_boots(server, directories) { kill(server, mold_of(server, 1).pid) }

        assert_predicate status, :success?, output
        assert_served_by(server, 2)
      end
    end
  end

  test "the next release's mold is killed while it boots, and a second attempt succeeds" do
    with_releases(:one, :two, apps: GATED) do |server, directories|
      unnoticed(server) do
        result = while_it_boots(server, directories) { |pid| kill(server, pid) }

        assert_gave_up(*result, /exited/)
        coppice(server, "roll", directories[:two])
        server.wait { served_by?(server, 3) }

        assert_equal "two", release_of(server)
      end
    end
  end

  test "the next release's mold is killed while its first worker starts" do
    config = "worker_processes 2\nspawn_timeout 60\nafter_worker_fork { #{Gate.code('start')} }"
    with_releases(:one, :two, configs: { two: config }) do |server, directories|
      unnoticed(server) do
        roll = nil
        Gate.new(File.join(directories[:two], "start")).closed do
          roll = Thread.new { coppice(server, "roll", directories[:two]) }
          server.wait { server.rows(:worker).any? { |row| row.release_number == 2 } }
          kill(server, mold_of(server, 2).pid)
        end

        assert_match(/release 1 \(one\) serves on/, BoundedWait.value_of(roll).first)
        assert_served_by(server, 1)
      end
    end
  end

  # No client asks: a request that is in a killed worker is lost.
  test "the first worker of the next release is killed during its canary" do
    with_releases(:one, :two, config: CANARY) do |server, directories|
      result = during_canary(server, directories[:two]) { |trial| kill(server, trial.pid) }

      assert_gave_up(*result, /its first worker exited while it was on trial/)
      assert_served_by(server, 1)
    end
  end

  test "the mold of either release is killed during a canary" do
    with_releases(:one, :two, config: CANARY) do |server, directories|
      unnoticed(server) do
        result = during_canary(server, directories[:two]) do |trial|
          kill(server, mold_of(server, trial.release_number).pid)
        end

        assert_gave_up(*result, /exited/)
        assert_served_by(server, 1)
        result = during_canary(server, directories[:two]) do
          kill(server, mold_of(server, 1).pid)
          coppice(server, "rollback")
        end

        assert_gave_up(*result, /given up/)
        assert_served_by(server, 1)
      end
    end
  end

  test "the new release's mold is killed after the commit, and the mold that is kept before a rollback" do
    with_releases(:one, :two) do |server, directories|
      unnoticed(server) do
        coppice(server, "roll", directories[:two])
        kill(server, mold_of(server, 2).pid)
        assert_served_by(server, 2)
        kill(server, mold_of(server, 1).pid)
        assert_rolled(server, "rollback", release: 1)
      end
    end
  end

  test "the directory is removed while its release serves" do
    with_releases(:one, :two) do |server, directories|
      FileUtils.rm_r(directories[:one])
      kill(server, server.ready_workers.first.pid) # while no client asks: the request in a killed worker is lost
      assert_served_by(server, 1)
      unnoticed(server) do
        kill(server, mold_of(server, 1).pid)
        assert_served_by(server, 1)
        assert_rolled(server, "roll", directories[:two], release: 2)
        FileUtils.rm_r(directories[:two])
        assert_rolled(server, "rollback", release: 1)
      end
    end
  end

  test "a rollback to a directory that is gone is refused when its mold is gone as well" do
    with_releases(:one, :two, config: "worker_processes 2\ncanary false\nrollback_window 0") do |server, directories|
      unnoticed(server) do
        coppice(server, "roll", directories[:two])
        server.wait { served_by?(server, 2) && server.rows(:mold).one? }
        FileUtils.rm_r(directories[:one])
        output, status = coppice(server, "rollback")

        assert_equal [1, true], [status.exitstatus, output.include?(directories[:one])], output
        assert_served_by(server, 2)
      end
    end
  end
end
