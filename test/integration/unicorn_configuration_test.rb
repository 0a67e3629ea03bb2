# frozen_string_literal: true

# lane: soak -- many servers; test/unit/compatibility shows the translation

require "test_helper"
require_relative "../support/releases"
require_relative "../support/server"

# `coppice -c config/unicorn.rb`: a configuration for Unicorn without a translation.
class UnicornConfigurationTest < Coppice::TestCase
  include Releases

  APP = <<~'RUBY'
    map("/calls") { run ->(_env) { [200, {}, [$calls.join("\n")]] } }
    map("/constant") { run ->(_env) { [200, {}, [defined?(Unicorn).inspect]] } }
    run ->(_env) { $stdout.puts("from the application"); [200, {}, []] }
  RUBY

  # The recipes of Unicorn's documentation. A fork copies the list of calls.
  CONFIG = <<~'RUBY'
    $calls = []
    worker_processes 2
    preload_app true
    pid File.expand_path("unicorn.pid", __dir__)
    worker_exec true
    listen File.expand_path("socket", __dir__), :backlog => 64
    timeout 30
    stderr_path File.expand_path("err.log", __dir__)
    stdout_path File.expand_path("out.log", __dir__)
    Unicorn::HttpServer::START_CTX[0] = "/srv/app/bin/unicorn"

    before_fork do |server, worker|
      $calls << "before_fork #{Process.pid} #{worker.nr}"
      old_pid = "#{server.config[:pid]}.oldbin"
      if File.exist?(old_pid) && server.pid != old_pid
        Process.kill((worker.nr + 1) >= server.worker_processes ? :QUIT : :TTOU, File.read(old_pid).to_i)
      end
    end
    after_fork { |server, worker| $calls << "after_fork #{Process.pid} #{worker.nr} #{server.worker_processes}" }
    after_worker_ready { |_server, worker| $calls << "after_worker_ready #{Process.pid} #{worker.nr}" }
    after_worker_exit do |_server, worker, status|
      path = File.expand_path("exited", __dir__)
      File.write("#{path}.new", "#{Process.pid} #{worker.nr} #{status.termsig}")
      File.rename("#{path}.new", path)
    end
  RUBY

  class UnicornServer < Server
    def start
      File.write(path("unicorn.rb"), CONFIG)
      @arguments = ["-c", path("unicorn.rb")]
      super
    end
  end

  test "hooks run where they belong" do
    UnicornServer.open(app: APP) do |server|
      mold = server.rows(:mold).first.pid
      workers = server.ready_workers.to_h { |row| [row.pid.to_s, row.nr] }
      calls = server.get("/calls").body.lines(chomp: true).map(&:split)
      before, own = calls.partition { |name, _| name == "before_fork" }

      assert_equal [[mold.to_s, "0"]], before.map { |_, pid, nr| [pid, nr] }.uniq
      assert_equal %w[after_fork after_worker_ready], own.map(&:first)
      assert_equal 1, own.map { |_, pid, _| pid }.uniq.size
      own.each { |_, pid, nr| assert_equal workers.fetch(pid).to_s, nr }
      assert_equal "2", own.first.last
    end
  end

  test "a worker's exit is told to the hook in the monitor" do
    UnicornServer.open(app: APP) do |server|
      worker = server.ready_workers.first
      nr = worker.nr
      server.signal(:KILL, to: worker.pid)
      server.wait { File.exist?(server.path("exited")) }

      assert_equal "#{server.pid} #{nr} 9", File.read(server.path("exited"))
    end
  end

  test "the application does not take it for Unicorn" do
    UnicornServer.open(app: APP) { |server| assert_equal "nil", server.get("/constant").body }
  end

  test "standard streams go to the files; what has no effect is logged once" do
    UnicornServer.open(app: APP) do |server|
      server.get
      assert_equal server.pid, File.read(server.path("unicorn.pid")).to_i
      server.stop
      log = File.read(server.path("err.log"))

      assert_equal "from the application\n", File.read(server.path("out.log"))
      assert_equal 1, log.scan("worker_exec has no effect").size
      assert_empty server.log
    end
  end

  test "a file that cannot be opened is a mistake of the configuration" do
    with_tmpdir do |folder|
      server = Server.new(app: APP, config: "stderr_path \"#{folder}/none/err.log\"", ready: false)
      server.start

      assert_equal 1, server.wait_for_end.exitstatus
      assert_match(/stderr_path cannot be opened/, server.log)
    ensure
      server&.clean_up
    end
  end

  # Yields a server that runs the first of two releases, where the symlink `current` leads, and their directories.
  def with_working_directory
    with_tmpdir do |folder|
      folder = File.realpath(folder)
      directories = %w[one two].to_h { |name| [name.to_sym, File.join(folder, name)] }
      directories.each do |name, directory|
        write_release(directory, Releases::APP.sub("NAME", name.to_s), "")
        add(directory, "unicorn.rb" => "working_directory '#{folder}/current'\nlisten '#{folder}/socket'\ncanary false")
      end
      File.symlink("one", "#{folder}/current")
      InReleases.open(app: nil, folder: folder, socket: "#{folder}/socket",
                      arguments: ["-c", "#{folder}/current/unicorn.rb"]) { |server| yield server, directories }
    end
  end

  test "a roll boots the release in its directory before the symlink of working_directory leads there" do
    with_working_directory { |server, directories| assert_rolled(server, "roll", directories[:two], release: 2) }
  end

  test "a roll without a directory follows the symlink of working_directory" do
    with_working_directory do |server, directories|
      File.unlink("#{File.dirname(directories[:two])}/current")
      File.symlink("two", "#{File.dirname(directories[:two])}/current")

      assert_rolled(server, "roll", release: 2)
      assert_equal directories[:two], File.readlink("/proc/#{server.pid}/cwd")
    end
  end
end
