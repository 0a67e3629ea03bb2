# frozen_string_literal: true

require "fileutils"
require "open3"
require_relative "closed_loop"
require_relative "gate"
require_relative "bounded_wait"
require_relative "server"
require_relative "without_bundler"

# Directories of releases for a server to roll to, and the commands that roll: for tests to include.
module Releases
  ROLL = 120 # seconds of waiting for the end of `coppice roll`

  # Answers its own name and the pid of the worker.
  APP = "run ->(_env) { [200, {}, [\"NAME \#{Process.pid}\"]] }"

  # The applications where the second release waits in its boot for as long as a test wants.
  GATED = { two: "File.write('booting', Process.pid.to_s)\n#{Gate.code('boot')}\n#{APP}" }.freeze

  # A line of a Gemfile: the Rack of the test.
  RACK = "gem 'rack', '#{Gem.loaded_specs.fetch('rack').version}'\n".freeze

  # Yields a server that was started in the first of the releases, and their directories by name. Options as of
  # write_releases.
  def with_releases(*names, **options)
    write_releases(*names, **options) do |directories, socket|
      InReleases.open(app: nil, folder: directories.values.first, socket: socket) do |server|
        yield server, directories
      end
    end
  end

  # Yields the directories of the releases by name, and the path of the socket that all of them listen on. apps and
  # configs: the texts of single ones. NAME in an application stands for the release's name.
  def write_releases(*names, app: APP, config: "worker_processes 2\ncanary false", configs: {}, apps: {}, lobby: false)
    Dir.mktmpdir("coppice-releases-") do |folder|
      folder = File.realpath(folder)
      directories = names.to_h { |name| [name, File.join(folder, name.to_s)] }
      socket = File.join(folder, "socket")
      directories.each do |name, directory|
        write_release(directory, apps.fetch(name, app).gsub("NAME", name.to_s),
                      "listen #{socket.inspect}, lobby: #{lobby}\n#{configs.fetch(name, config)}")
      end
      yield directories, socket
    end
  end

  # Answers standard output with standard error, and the status. server: nil for the one that runs in the folder.
  def coppice(server, *words, **options)
    Open3.capture2e({ "RUBYOPT" => nil, "RACK_ENV" => nil }, RbConfig.ruby, "--disable=gems", Server::EXECUTABLE,
                    words.first, *(["--pid", server.pid.to_s] if server), *words.drop(1), **options)
  end

  # The name of the release that answers.
  def release_of(server) = server.get("/").body[/\A\w+/]

  # Whether all workers are of this release, and as many as there should be.
  def served_by?(server, number)
    board = server.board
    board.release_number == number && server.ready_workers.size == board.workers_count &&
      server.rows(:worker).all? { |row| row.release_number == number }
  end

  # Clients ask all the time while the block runs, and all are answered.
  def unnoticed(server)
    clients = ClosedLoop.new(server, clients: 2, paths: ["/"])
    clients.during { yield }

    assert_empty clients.failures
  end

  # Yields the pid of the second release's mold while it waits in its boot; then it goes on. Answers what `coppice roll`
  # did.
  def while_it_boots(server, directories)
    roll = nil
    booting = File.join(directories[:two], "booting")
    Gate.new(File.join(directories[:two], "boot")).closed do
      roll = Thread.new { coppice(server, "roll", directories[:two]) }
      pid = server.wait { File.exist?(booting) && File.read(booting)[/.+/] }
      yield pid.to_i
    end
    BoundedWait.value_of(roll, ROLL)
  end

  # Yields the row of the new release's first worker while it is on trial, which needs a canary that lasts. Answers what
  # `coppice roll` did.
  def during_canary(server, directory)
    roll = Thread.new { coppice(server, "roll", directory) }
    yield server.wait { server.rows(:worker).find { |row| row.release_number > 1 && row.ready? } }
    BoundedWait.value_of(roll)
  end

  # `coppice roll` or `coppice rollback` succeeds, and then this release serves.
  def assert_rolled(server, *words, release:)
    output, status = coppice(server, *words)

    assert_predicate status, :success?, output
    assert_served_by(server, release)
  end

  # What `coppice roll` did: the release was given up for this reason.
  def assert_gave_up(output, status, reason)
    assert_equal [1, true], [status.exitstatus, output.include?("release 1 (one) serves on")], output
    assert_match reason, output
  end

  def mold_of(server, release) = server.rows(:mold).find { |row| row.release_number == release }

  # Every slot has a worker of this release, and its mold is ready.
  def assert_served_by(server, release)
    server.wait(BoundedWait::SECONDS, "release #{release} in all slots") do
      served_by?(server, release) && mold_of(server, release)&.ready?
    end

    assert_equal({ 1 => "one", 2 => "two", 3 => "three" }.fetch(release), release_of(server))
  end

  def write_release(directory, app, config)
    FileUtils.mkdir_p(File.join(directory, "config"))
    File.write(File.join(directory, "config.ru"), app)
    File.write(File.join(directory, "config/coppice.rb"), config)
  end

  # Writes more files into a release's directory.
  def add(directory, files)
    files.each do |name, text|
      path = File.join(directory, name)
      FileUtils.mkdir_p(File.dirname(path))
      File.write(path, text)
    end
  end

  # From now on each release needs a Gemfile.
  def restart_with_bundle(server, directory, variables = {})
    server.stop
    server.start_in(directory, { **WITHOUT_BUNDLER, "BUNDLE_FROZEN" => "false",
                                 "BUNDLE_GEMFILE" => File.join(directory, "Gemfile"), **variables })
  end

  # A server that finds its configuration in the directory in which it is started.
  class InReleases < Server
    def initialize(socket:, **options)
      super(**options)
      @socket_path = socket
    end

    attr_reader :socket_path

    # No -c: each release has its own.
    def start
      @pid = Process.spawn(@env.merge("PWD" => @directory), *command, *@arguments, chdir: @directory,
                           %i[out err] => path("log"), in: File::NULL)
      wait_until_ready
    end

    # After it was stopped: again, in another directory, and with more variables.
    def start_in(directory, variables = {})
      @env = @env.merge(variables)
      @directory = directory
      start_again
    end
  end
end
