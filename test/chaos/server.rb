# frozen_string_literal: true

require_relative "../support/server"
require_relative "fifo"
require_relative "orders"
require_relative "releases"

module Chaos
  # The server of one life. It writes its log, and which process serves which request, to FIFOs. Its configuration makes
  # all processes check for orders. It can be started again at the same address.
  class Server < ::Server
    INSIDE = File.expand_path("inside", __dir__)

    # Seconds. Short, because the driver waits for what hangs; longer than a busy machine often stands still.
    TIMEOUT = 4
    CLEANUP = 2
    SPAWN_TIMEOUT = 8

    # Seconds. Long: a release whose trial gets no request in this time is committed, whatever it would answer.
    CANARY_TIME = 60

    APP = <<~RUBY.freeze
      require "#{INSIDE}/app"
      run Chaos::App.new(__dir__, release: File.basename(Dir.pwd))
    RUBY

    # With a logger of its own the log contains every line, including those of requested exits.
    CONFIG = <<~RUBY.freeze
      require "#{INSIDE}/points"
      Chaos::Points.set_up(self, File.join(__dir__, "orders"))
      trap(:XFSZ) { nil } # otherwise the limit for files kills the process before write(2) fails
      logger Logger.new($stderr, formatter: ->(level, _, _, text) { "level=\#{level.downcase} \#{text}\\n" })
      timeout #{TIMEOUT}, cleanup: #{CLEANUP}
      spawn_timeout #{SPAWN_TIMEOUT}
      boot_timeout File.basename(Dir.pwd) == "#{Releases::HANGS}" ? 2 : 60
      canary_requests 20
      canary_time #{CANARY_TIME}
      refork_backoff 0.3
      service(:lasting, survives_reforks: true, timeout: #{TIMEOUT}) { Chaos::Points.serve(:lasting) }
      service(:renewed, timeout: #{TIMEOUT}) { Chaos::Points.serve(:renewed) }
      client_header_timeout 6 # contributes to the time that a worker may be without a sign of life
    RUBY

    attr_reader :orders #: Orders
    attr_reader :served #: Fifo
    attr_reader :output #: Fifo -- the log

    #: (workers: Integer, settings: String, lobby: bool) -> void
    def initialize(workers:, settings:, lobby:)
      super(app: APP, config: "#{CONFIG}worker_processes #{workers}\n#{settings}\n", lobby: lobby)
      Releases.make_in(@folder)
      @orders = Orders.new(path("orders"))
      @served = Fifo.new(path("served"))
      @output = Fifo.new(path("log"))
    end

    def log = @output.text

    #: () -> bool
    def lobby? = @lobby

    #: () -> String
    def listen = "listen #{socket_path.inspect}, lobby: #{@lobby}"

    # Z for a process that was not reaped, T for a stopped one; nil if it does not exist.
    #: (Integer) -> String?
    def state_of(pid)
      File.read("/proc/#{pid}/stat").rpartition(")").last.split.first
    rescue Errno::ENOENT, Errno::ESRCH
      nil
    end

    # Runs `coppice` for this server. Answers a thread that ends with it.
    #: (*String) -> Thread
    def coppice(name, *arguments)
      words = [RbConfig.ruby, "--disable=gems", EXECUTABLE, name, "--pid", pid.to_s, *arguments]
      Process.detach(Process.spawn({ "RUBYOPT" => nil }, *words, %i[in out err] => File::NULL))
    end

    # Waits for another turn of the monitor's loop. CHLD wakes it.
    #: () -> bool
    def await_turn
      before = board.beat_ms
      signal(:CHLD)
      wait { board.beat_ms != before }
    end

    # The name of the directory of the release that the server runs.
    #: () -> String
    def release = File.basename(File.readlink("/proc/#{pid}/cwd"))

    # The idle mold of another release.
    #: () -> Coppice::Board::Row?
    def kept_mold
      rows(:mold).find { |row| row.release_number != board.release_number && row.generation < board.generation }
    end

    #: () -> void
    def clean_up
      super
    ensure
      [@served, @output].each(&:close)
    end
  end
end
