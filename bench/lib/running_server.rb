# frozen_string_literal: true

require "net/http"
require "socket"
require "tmpdir"
require_relative "process_tree"

module Bench
  # One running server: started in a process group and a temporary folder of its own, on a free port of 127.0.0.1. It is
  # stopped by pid when the block of `run` returns or raises.
  class RunningServer
    BOOT_TIMEOUT = 90 # seconds
    STOP_TIMEOUT = 10 # seconds
    INTERVAL = 0.05 # seconds between two looks
    BOOT_INTERVAL = 0.01

    # Runs the server of one plan, or the servers of several plans side by side.
    #: (*Plan) { (*RunningServer) -> T } -> T
    def self.run(*plans)
      Dir.mktmpdir("coppice-bench") do |folder|
        servers = plans.each_with_index.map { |plan, number| new(plan, File.join(folder, number.to_s)) }
        servers.each(&:start)
        yield(*servers)
      ensure
        servers&.each(&:stop)
        ProcessTree.end_descendants
      end
    end

    attr_reader :plan #: Plan
    attr_reader :port #: Integer
    attr_reader :greeting #: Net::HTTPResponse? -- the very first response
    attr_reader :boot_seconds #: Float? -- from the start of the process until that response

    # health: the path that tells whether it is up.
    #: (Plan, String, ?health: String) -> void
    def initialize(plan, folder, health: "/")
      @plan = plan
      @health = health
      @config_path = File.join(folder, "#{plan.server.name}.rb")
      @log_path = File.join(folder, "log")
      @port = free_port
    end

    # Returns when the application has answered. Otherwise raises, with the server's log.
    #: () -> void
    def start
      Dir.mkdir(File.dirname(@config_path))
      File.write(@config_path, @plan.server.config.call(@plan, @port, @config_path))
      @pid = Process.spawn(@plan.process_environment, *@plan.command(@port, @config_path), unsetenv_others: true,
        pgroup: true, chdir: File.dirname(@config_path), in: File::NULL, out: @log_path, err: [:child, :out])
      began = Bench.now
      until answers?
        fail_with_log("exited") if ended?
        fail_with_log("did not answer within #{BOOT_TIMEOUT} s") if Bench.now > began + BOOT_TIMEOUT
        sleep BOOT_INTERVAL
      end
      @boot_seconds = Bench.now - began
    end

    # Yields the board of the server, which must be Coppice.
    #: [T] () { (Coppice::Board) -> T } -> T
    def with_board
      require "coppice/board"
      board = Coppice::Board.of_process(@pid)
      yield board
    ensure
      board&.close
    end

    # Waits until the block returns something truthy, and returns that. what: names it in the error. Raises Failure,
    # with the server's log, when the time is over or the server has exited.
    #: [T] (String, timeout: Numeric, ?interval: Numeric) { () -> T? } -> T
    def wait_until(what, timeout:, interval: INTERVAL)
      deadline = Bench.now + timeout
      until (found = yield)
        check
        raise Failure, "#{@plan.label}: not within #{timeout} s: #{what}. Its log:\n#{log}" if Bench.now > deadline

        sleep interval
      end
      found
    end

    # All its processes at this moment.
    #: (?unrelated: Array[Integer]) -> ProcessTree
    def tree(unrelated: []) = ProcessTree.new(@pid, unrelated: unrelated)

    # Sends a signal to the process that was started: the monitor, if there is one.
    #: (Symbol) -> void
    def signal(name) = ProcessTree.signal(name, @pid)

    # Calls `coppice` about this server, which must be Coppice. Raises Failure when that fails.
    #: (*String) -> void
    def coppice(*words)
      command = [RbConfig.ruby, "#{@plan.checkout}/exe/coppice", *words, "--pid", @pid.to_s]
      output = IO.popen(command, err: %i[child out], &:read)
      raise Failure, "coppice #{words.join(" ")}: #{output}" unless $?.success?
    end

    # Raises, with its log, if it has exited by itself: its figures would be those of no process.
    #: () -> void
    def check
      raise Failure, "#{@plan.label} exited during the measurement. Its log:\n#{log}" if ended?
    end

    #: () -> bool
    def ended?
      @ended ||= !Process.wait(@pid, Process::WNOHANG).nil?
    end

    # Sends TERM and waits. ProcessTree.end_descendants kills the processes that are left.
    #: () -> void
    def stop
      return if @pid.nil? || ended?

      signal(:TERM)
      deadline = Bench.now + STOP_TIMEOUT
      sleep 0.02 until ended? || Bench.now > deadline
    end

    #: () -> String
    def log = File.exist?(@log_path) ? File.read(@log_path) : ""

    private

    # Another process could take the port before the server does. A benchmark may take that risk, a test must not.
    def free_port = TCPServer.open("127.0.0.1", 0) { |socket| socket.addr[1] }

    # The first answer may take long: a worker loads for it what it has not loaded yet.
    def answers?
      Net::HTTP.start("127.0.0.1", @port, open_timeout: 1, read_timeout: BOOT_TIMEOUT) do |http|
        @greeting = http.get(@health)
      end
      true
    rescue SystemCallError, IOError, Timeout::Error
      false # not yet
    end

    def fail_with_log(what) = raise(NotStarted.new("#{@plan.label} #{what}", log: log))
  end
end
