# frozen_string_literal: true

require "test_helper"
require_relative "../support/closed_loop"
require_relative "../support/gate"
require_relative "../support/releases"

# `coppice roll`, `coppice rollback` and USR1: another release of the application in a running server.
class RollTest < Coppice::TestCase
  include Releases

  test "a roll brings the release in a directory, and no client notices" do
    with_releases(:one, :two) do |server, directories|
      unnoticed(server) do
        output, status = coppice(server, "roll", directories[:two])

        assert_predicate status, :success?, output
        assert_match(/\Arolling to .*two\n.*booting release 2 \(two\)\n.*release 2 \(two\) is committed/m, output)
        server.wait { served_by?(server, 2) }

        assert_equal "two", release_of(server)
      end

      assert_equal directories[:two], File.readlink("/proc/#{server.pid}/cwd")
    end
  end

  test "the first worker of a new release has served its warm-up requests before it serves a client" do
    app = <<~RUBY
      served = []
      run ->(env) { served << env["PATH_INFO"] if env["coppice.warm_up"]; [200, {}, ["NAME \#{served.join(' ')}"]] }
    RUBY
    config = "worker_processes 2\ncanary_requests 1\nwarm_up_requests '/a', '/b'"
    with_releases(:one, :two, app: app, config: config) do |server, directories|
      first = nil
      output, status = during_canary(server, directories[:two]) do
        first = server.wait { server.get("/").body[/\Atwo.*/] }
      end

      assert_predicate status, :success?, output
      assert_equal "two /a /b", first
    end
  end

  soak_test "a release whose warm-up ends each worker serves all the same" do
    app = 'run ->(env) { env["coppice.warm_up"] ? exit!(3) : [200, {}, ["NAME"]] }'
    config = "worker_processes 2\ncanary false"
    with_releases(:one, :two, app: app, configs: { two: "#{config}\nwarm_up_requests '/'" }) do |server, directories|
      assert_rolled(server, "roll", directories[:two], release: 2)
    end
  end

  soak_test "a roll tells what of the new configuration only a restart brings, and so does each one after it" do
    config = "worker_processes 1\ncanary false"
    configs = { two: "#{config}\npidfile 'a.pid'", three: "#{config}\ndirectory '/'" }
    with_releases(:one, :two, :three, config: config, configs: configs) do |server, directories|
      told = ["roll #{directories[:two]}", "roll #{directories[:three]}", "rollback"].map do |words|
        coppice(server, *words.split).first[/^only a restart of the server changes: (\w+)$/, 1]
      end

      assert_equal %w[pidfile directory pidfile], told
    end
  end

  soak_test "a release that cannot be booted is given up, and the one before serves on" do
    with_releases(:one, :two, apps: { two: 'raise "not today"' }) do |server, directories|
      workers = server.ready_workers.map(&:pid)
      output, status = coppice(server, "roll", directories[:two])

      assert_equal [1, true], [status.exitstatus, output.include?("release 1 (one) serves on")], output
      assert_equal [1, workers], [server.board.release_number, server.ready_workers.map(&:pid)]
      assert_includes server.log, "not today"
    end
  end

  soak_test "a roll helps where no worker of the running release starts any more" do
    first = "worker_processes 2\nafter_worker_fork { |*| raise 'no worker' if File.exist?('broken') }"
    with_releases(:one, :two, configs: { one: first }) do |server, directories|
      FileUtils.touch(File.join(directories[:one], "broken"))
      server.ready_workers.each { |row| server.signal(:KILL, to: row.pid) }
      server.wait { server.rows(:worker).none?(&:ready?) }

      assert_rolled(server, "roll", directories[:two], release: 2)
    end
  end

  test "a rollback goes back without a boot as long as the mold is kept" do
    app = 'File.write("boots", "x", mode: "a"); run ->(_env) { [200, {}, ["NAME"]] }'
    with_releases(:one, :two, app: app) do |server, directories|
      coppice(server, "roll", directories[:two])

      assert_rolled(server, "rollback", release: 1)
      assert_equal "x", File.read(File.join(directories[:one], "boots"))
      assert_equal "coppice: there is no release before release 1\n", coppice(server, "rollback").first
    end
  end

  soak_test "a rollback boots the release before once its mold is gone" do
    with_releases(:one, :two, config: "worker_processes 2\ncanary false\nrollback_window 0") do |server, directories|
      coppice(server, "roll", directories[:two])
      server.wait { served_by?(server, 2) && server.rows(:mold).one? }

      assert_rolled(server, "rollback", release: 1)
    end
  end

  soak_test "the new release's file decides about workers, hooks and variables, not about sockets" do
    second = <<~RUBY
      worker_processes 3
      canary false
      pidfile "another.pid"
      ENV["SET_BY_RELEASE"] = "two"
      after_worker_exit { |_server, _worker, _status| File.write("exits", "x", mode: "a") }
      after_worker_ready { |_server, _worker| ENV["SET_BY_HOOK"] = "hook" }
    RUBY
    app = 'run ->(_env) { [200, {}, [ENV.values_at("SET_BY_RELEASE", "SET_BY_HOOK").inspect]] }'
    with_releases(:one, :two, app: app, configs: { two: second }) do |server, directories|
      coppice(server, "roll", directories[:two])
      server.wait { served_by?(server, 2) && server.ready_workers.size == 3 }

      assert_equal '["two", "hook"]', server.get("/").body
      server.wait { File.exist?(File.join(directories[:two], "exits")) }

      refute_path_exists File.join(directories[:two], "another.pid")
    end
  end

  soak_test "a roll goes on from a release whose directory was removed" do
    with_releases(:one, :two, :three) do |server, directories|
      coppice(server, "roll", directories[:two])
      server.wait { served_by?(server, 2) }
      FileUtils.remove_entry(directories[:two])

      assert_rolled(server, "roll", directories[:three], release: 3)
    end
  end

  # Yields a server that was started in a symlink, and the symlink, which leads to the second release by now.
  def with_current
    write_releases(:one, :two) do |directories, socket|
      link = File.join(File.dirname(directories[:one]), "current")
      File.symlink(directories[:one], link)
      InReleases.open(app: nil, folder: link, socket: socket) do |server|
        File.unlink(link)
        File.symlink(directories[:two], link)
        yield server, link
      end
    end
  end

  soak_test "USR1 rolls to what the server's directory leads to now" do
    with_current do |server, _|
      server.signal(:USR1)
      server.wait { served_by?(server, 2) }

      assert_equal "two", release_of(server)
    end
  end

  soak_test "a roll from the new release's directory finds its server beside another application's" do
    with_current do |server, link|
      Server.open(app: APP) do
        output, status = coppice(nil, "roll", chdir: link)

        assert_predicate status, :success?, output
        assert_match(/release 2 \(two\) is committed/, output)
        assert_equal 2, server.board.release_number
      end
    end
  end

  soak_test "there is one roll at a time, and a rollback gives it up" do
    app = "#{Gate.code('boot')}\n#{APP}"
    with_releases(:one, :two, apps: { two: app }) do |server, directories|
      Gate.new(File.join(directories[:two], "boot")).closed do
        roll = Thread.new { coppice(server, "roll", directories[:two]) }
        server.wait { server.board.promotions_count == 2 }

        assert_match(/a roll to .*two is under way/, coppice(server, "roll", directories[:two]).first)
        assert_match(/is given up; release 1 \(one\) serves on/, coppice(server, "rollback").first)
        assert_match(/rollback was asked for/, BoundedWait.value_of(roll).first)
      end

      assert_equal "one", release_of(server)
    end
  end

  test "coppice check --in says beforehand what a roll would" do
    configs = { one: "stdout_path 'same.log'", two: "worker_processes 3\nstdout_path 'same.log'\npidfile 'a.pid'",
      three: "worker_proceses 3" }
    write_releases(:one, :two, :three, configs: configs) do |directories|
      check = lambda do |name|
        Open3.capture2e({ "RUBYOPT" => nil }, RbConfig.ruby, Server::EXECUTABLE, "check", "--in", directories[name],
                        chdir: directories[:one])
      end
      output, status = check.call(:two)

      assert_predicate status, :success?, output
      assert_match(/^\S*two can be rolled to/, output)
      assert_match(/^changes with the release: worker_processes/, output)
      assert_match(/^only a restart of the server changes: pidfile$/, output)

      output, status = check.call(:three)

      assert_equal [1, true], [status.exitstatus, output.include?("Did you mean worker_processes")], output
    end
  end
end
