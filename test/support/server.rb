# frozen_string_literal: true

require "fileutils"
require "rbconfig"
require "socket"
require "tmpdir"
require "coppice"
require "coppice/board"
require_relative "one_shot_client"

# A real server in processes of its own, on a unix socket in a folder of its own; its
# log is shown when a test fails. Tests look at its board, not at its log.
class Server
  include OneShotClient

  EXECUTABLE = File.expand_path("../../exe/coppice", __dir__)

  # Yields a server that is ready, and stops it afterwards.
  #: (app: String, ?config: String, **untyped) { (Server) -> void } -> void
  def self.open(**options)
    server = new(**options)
    server.start
    yield server
  rescue Minitest::Assertion, StandardError
    server&.show_log
    raise
  ensure
    server&.clean_up
  end

  attr_reader :folder, :pid

  # The process that we started, unless it started the monitor in its turn.
  def monitor_pid = pid

  # app: the text of config.ru; config: of the configuration; both may use `folder`; sockets: passed on as systemd does.
  def initialize(app:, config: "", env: {}, arguments: [], folder: nil, ready: true, sockets: [])
    @folder = Dir.mktmpdir("coppice-server-")
    @directory = folder || @folder
    @app = app
    @config = config
    @env = { "RACK_ENV" => "production", "WEB_CONCURRENCY" => nil, "PORT" => nil }.merge(env)
    @arguments = arguments
    @sockets = sockets
    @wait_until_ready = ready
  end

  def start
    File.write(path("config.ru"), @app) if @app
    File.write(path("coppice.conf.rb"), "listen #{socket_path.inspect}\n#{@config}")
    @pid = Process.spawn(@env, *activation, *command, "-c", path("coppice.conf.rb"), *@arguments,
                         *(path("config.ru") if @app),
                         chdir: @directory, %i[out err] => path("log"), in: File::NULL, **passed)
    wait_until_ready if @wait_until_ready
  end

  def path(name) = File.join(@folder, name)
  def socket_path = path("socket")
  def log = File.exist?(path("log")) ? File.read(path("log")) : ""

  # nil until the monitor has made it.
  def board
    @board ||= Coppice::Board.of_process(monitor_pid)
  rescue Coppice::Error, SystemCallError
    nil
  end

  # The rows of one role, ready or not.
  def rows(role) = (board&.rows || []).select { |row| row.role_name == role }

  def ready_workers = rows(:worker).select(&:ready?)

  # Every slot is served by this generation, nobody is there beyond them, and there is one mold.
  def settled?(generation)
    workers = rows(:worker)
    workers.all?(&:ready?) && workers.map(&:nr).sort == (0...board.workers_count).to_a &&
      (workers + rows(:mold)).all? { |row| row.generation == generation } && rows(:mold).size == 1
  end

  # Waits for what no descriptor announces. The server may not end meanwhile.
  def wait(timeout = 20, reason = "condition")
    deadline = now + timeout
    until (answer = yield)
      raise "the server ended: #{status.inspect}" if ended?
      raise "#{reason}: not within #{timeout} s" if now > deadline

      IO.select(nil, nil, nil, 0.01)
    end
    answer
  end

  def wait_until_ready
    wait(60, "ready") { board && all_ready? && listening? }
  end

  def all_ready? = board.workers_count.positive? && ready_workers.size == board.workers_count

  def signal(name, to: monitor_pid) = Process.kill(name, to)

  # The exit status, once the monitor has ended.
  def wait_for_end(timeout = 30)
    deadline = now + timeout
    until ended?
      raise "the server did not end within #{timeout} s" if now > deadline

      IO.select(nil, nil, nil, 0.01)
    end
    @status
  end

  def stop
    signal(:TERM) unless ended?
    wait_for_end
  end

  def ended?
    @status ||= Process.wait2(pid, Process::WNOHANG)&.last
    !@status.nil?
  end

  attr_reader :status

  def connect = UNIXSocket.new(socket_path)

  # Every process of the family, by pid.
  def family = [pid, *children(pid)]

  def children(of)
    Dir.glob("/proc/#{of}/task/*/children").flat_map { |file| File.read(file).split.map(&:to_i) }
  rescue Errno::ENOENT, Errno::ESRCH
    []
  end

  def show_log
    warn "--- the server's log (#{path('log')})", log, "---"
  end

  def clean_up
    left = @pid ? family : []
    end_by_force if @pid && !ended?
    left.drop(1).each { |child| end_child(child) }
    @board&.close
    FileUtils.remove_entry(@folder)
  end

  private

  def command = [RbConfig.ruby, EXECUTABLE]

  # The variable names the process that the sockets are meant for: the shell, which Ruby then takes the place of.
  def activation
    @sockets.empty? ? [] : ["/bin/sh", "-c", 'LISTEN_PID=$$ exec "$@"', "sh", "env", "LISTEN_FDS=#{@sockets.size}"]
  end

  def passed = @sockets.each_with_index.to_h { |socket, index| [3 + index, socket] }

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

  def listening?
    connect.close
    true
  rescue SystemCallError
    false
  end

  def end_by_force
    signal(:TERM)
    wait_for_end(10)
  rescue RuntimeError
    signal(:KILL)
    Process.wait(pid)
  end

  # Only what was our server's child a moment ago.
  def end_child(child)
    return unless File.read("/proc/#{child}/cmdline").include?("coppice")

    warn "a child outlived its server: #{child}"
    Process.kill(:KILL, child)
  rescue Errno::ENOENT, Errno::ESRCH
    nil
  end
end
