# frozen_string_literal: true

require "fileutils"
require "rbconfig"
require "socket"
require "tmpdir"
require "coppice"
require "coppice/board"
require_relative "one_shot_client"
require_relative "bounded_wait"
require_relative "child_processes"
require_relative "server_row"

# A real server in processes of its own, on a unix socket in a folder of its own; its
# log is shown when a test fails. Tests look at its board, not at its log.
class Server
  include OneShotClient

  EXECUTABLE = File.expand_path("../../exe/coppice", __dir__)

  # Seconds of waiting until it is ready: a large application boots for long, beside others that do.
  BOOT_SECONDS = 120

  # Titles of the lobby's processes.
  LOOP = "coppice lobby"
  KEEPER = "coppice lobby keeper"

  # Yields a server that is ready, and stops it afterwards.
  #: (app: String, ?config: String, **untyped) { (Server) -> void } -> void
  def self.open(**options)
    server = new(**options)
    server.start
    yield server
  rescue Minitest::Assertion, StandardError, Interrupt # which comes when the file has taken too long
    server&.show_log
    raise
  ensure
    server&.clean_up
  end

  # Yields a server for all tests of a file that ask for these options, each of which leaves it as it found it.
  # The first one starts it, and it is stopped after the last. After a failed test the next one starts another server.
  #: (**untyped) { (Server) -> void } -> void
  def self.share(**options)
    @shared ||= {}
    server = @shared[options] ||= new(**options).tap { |made| Minitest.after_run { made.clean_up } }
    server.start unless server.pid
    yield server
  rescue Minitest::Assertion, StandardError, Interrupt
    server&.show_log
    @shared.delete(options)
    raise
  end

  attr_reader :folder, :pid

  # The process that we started, unless it started the monitor in its turn.
  def monitor_pid = pid

  # app: the text of config.ru; config: of the configuration; both may use `folder`; sockets: passed on as systemd does;
  # socket_names: as of FileDescriptorName=; lobby: whether the lobby meets the clients, where the test is about that;
  # boot_seconds: seconds for its start (BoundedWait).
  def initialize(app:, config: "", env: {}, arguments: [], folder: nil, ready: true, sockets: [], lobby: nil,
                 socket_names: nil, boot_seconds: BOOT_SECONDS)
    @folder = Dir.mktmpdir("coppice-server-")
    @directory = folder || @folder
    @app = app
    @config = config
    @env = { "RACK_ENV" => "production", "WEB_CONCURRENCY" => nil, "PORT" => nil }.merge(env)
    @arguments = arguments
    @sockets = sockets
    @socket_names = socket_names
    @boot_seconds = boot_seconds
    @lobby = lobby.nil? ? ENV.key?("COPPICE_TEST_LOBBY") : lobby
    @wait_until_ready = ready
  end

  def start
    File.write(path("config.ru"), @app) if @app
    File.write(path("coppice.conf.rb"), "#{listen}\n#{@config}#{canary}")
    @pid = Process.spawn(@env, *activation, *command, "-c", path("coppice.conf.rb"), *@arguments,
                         *(path("config.ru") if @app),
                         chdir: @directory, %i[out err] => path("log"), in: File::NULL, **passed)
    wait_until_ready if @wait_until_ready
  end

  def path(name) = File.join(@folder, name)
  def socket_path = path("socket")
  def log = File.exist?(path("log")) ? File.read(path("log")) : ""

  # With COPPICE_TEST_LOBBY=1 the lobby meets all clients that do not say otherwise. They read to the end of the
  # connection.
  def listen
    return "listen #{socket_path.inspect}" unless @lobby

    "listen #{socket_path.inspect}, lobby: true\nkeepalive_timeout 0, trusted: 0"
  end

  # Each refork would take a second longer: a test that is about the canary says so.
  def canary = @config.include?("canary") ? "" : "\ncanary false\n"

  # The loop and its keeper.
  def lobby_processes = @lobby ? 2 : 0

  # nil until the monitor has made it.
  def board
    @board ||= Coppice::Board.of_process(monitor_pid)
  rescue Coppice::Error, SystemCallError
    nil
  end

  # The rows of one role, ready or not.
  def rows(role) = (board&.rows || []).filter_map { |row| ServerRow.of(row, role) }

  def ready_workers = rows(:worker).select(&:ready?)

  # Whether the monitor has reaped the process of this pid and has taken back its row. A killed worker counts as a
  # ready one until then: ask this first, and then for its successor.
  def gone?(pid) = !File.exist?("/proc/#{pid}") && board.rows.none? { |row| row.pid == pid }

  # Every slot is served by this generation, nobody is there beyond them, and there is one mold.
  def settled?(generation)
    workers = rows(:worker)
    workers.all?(&:ready?) && workers.map(&:nr).sort == (0...board.workers_count).to_a &&
      (workers + rows(:mold)).all? { |row| row.generation == generation } && rows(:mold).size == 1
  end

  # Waits for what no descriptor announces. The server may not end meanwhile. timeout: seconds of waiting.
  def wait(timeout = BoundedWait::SECONDS, reason = "condition")
    BoundedWait.wait(timeout, reason) do
      answer = yield
      raise "the server ended: #{status.inspect}" if !answer && ended?

      answer
    end
  end

  # For clients and for who reads the board: the monitor writes that it serves after clients can connect.
  def wait_until_ready
    wait(@boot_seconds, "ready") { board && all_ready? && serving? }
  end

  # What health checks go by: the monitor writes it at the end of a turn.
  def state = Coppice::Board::SERVER_STATES[board.state]

  def serving? = !board.nil? && state == "serving"

  def all_ready? = board.workers_count.positive? && ready_workers.size == board.workers_count

  # Raises ArgumentError for 0, the pid of a row that was taken back meanwhile: that would be our own process group.
  def signal(name, to: monitor_pid)
    raise ArgumentError, "no process to signal: its row was taken back" if to.zero?

    Process.kill(name, to)
  end

  # To every process, as Heroku and systemd do.
  def signal_all(name)
    family.shuffle.each do |process|
      signal(name, to: process)
    rescue Errno::ESRCH # it ended meanwhile
      next
    end
  end

  # The exit status, once the monitor has ended. timeout: seconds of waiting.
  def wait_for_end(timeout = BoundedWait::SECONDS)
    BoundedWait.wait(timeout, "the server has not ended") { ended? }
    @status
  end

  def stop
    signal(:TERM) unless ended?
    wait_for_end
  end

  # After it was stopped.
  def start_again
    @board&.close
    @status = @board = nil
    start
  end

  def ended?
    @status ||= Process.wait2(pid, Process::WNOHANG)&.last
    !@status.nil?
  end

  attr_reader :status

  def connect = UNIXSocket.new(socket_path)

  # Every process of the family, by pid.
  def family = [pid, *children(pid)]

  def children(of) = ChildProcesses.of(of)

  # The processes of the lobby, by their titles.
  #: () -> Hash[String, Integer]
  def parts_of_lobby = children(monitor_pid).to_h { |child| [title_of(child), child] }.slice(LOOP, KEEPER)

  # What ps(1) shows; empty for a process that is gone.
  #: (Integer) -> String
  def title_of(pid)
    File.read("/proc/#{pid}/cmdline").delete("\0").strip
  rescue Errno::ENOENT, Errno::ESRCH
    ""
  end

  def show_log
    warn "--- the server's log (#{path('log')})", log, "---"
  end

  def clean_up
    running = @pid && !ended? # otherwise another process may have the pid already
    left = running ? family : []
    end_by_force if running
    left.drop(1).each { |child| end_child(child) }
    @board&.close
    FileUtils.remove_entry(@folder)
  end

  private

  # As the server starts itself again, which takes a good part of the time of a short test: see Coppice::Launcher.
  def command = [RbConfig.ruby, "--disable=gems,rubyopt", EXECUTABLE]

  # The variable names the process that the sockets are meant for: the shell, which Ruby then takes the place of.
  def activation
    return [] if @sockets.empty?

    names = ["LISTEN_FDNAMES=#{@socket_names.join(':')}"] if @socket_names
    ["/bin/sh", "-c", 'LISTEN_PID=$$ exec "$@"', "sh", "env", "LISTEN_FDS=#{@sockets.size}", *names]
  end

  def passed = @sockets.each_with_index.to_h { |socket, index| [3 + index, socket] }

  def end_by_force
    signal(:TERM)
    wait_for_end(10)
  rescue BoundedWait::TimedOut
    signal(:KILL)
    wait_for_end
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
