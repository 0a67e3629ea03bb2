# frozen_string_literal: true

require_relative "../support/server"
require_relative "fifo"
require_relative "orders"

module Chaos
  # The server of one life. It writes its log, and which process serves which request, to FIFOs. Its configuration makes
  # all processes check for orders. It can be started again at the same address.
  class Server < ::Server
    INSIDE = File.expand_path("inside", __dir__)

    # Seconds. Short, because the driver waits for what hangs; long enough for a busy machine.
    TIMEOUT = 2
    CLEANUP = 1
    SPAWN_TIMEOUT = 4

    APP = <<~RUBY.freeze
      require "#{INSIDE}/app"
      run Chaos::App.new(__dir__)
    RUBY

    # With a logger of its own the log contains every line, including those of requested exits.
    CONFIG = <<~RUBY.freeze
      require "#{INSIDE}/points"
      Chaos::Points.set_up(self, File.join(__dir__, "orders"))
      trap(:XFSZ) { nil } # otherwise the limit for files kills the process before write(2) fails
      logger Logger.new($stderr, formatter: ->(level, _, _, text) { "level=\#{level.downcase} \#{text}\\n" })
      timeout #{TIMEOUT}, cleanup: #{CLEANUP}
      spawn_timeout #{SPAWN_TIMEOUT}
      boot_timeout 60
      refork_backoff 0.3
      client_header_timeout 3 # contributes to the time that a worker may be without a sign of life
    RUBY

    attr_reader :orders #: Orders
    attr_reader :served #: Fifo
    attr_reader :output #: Fifo -- the log

    #: (workers: Integer, settings: String) -> void
    def initialize(workers:, settings:)
      super(app: APP, config: "#{CONFIG}worker_processes #{workers}\n#{settings}\n")
      @orders = Orders.new(path("orders"))
      @served = Fifo.new(path("served"))
      @output = Fifo.new(path("log"))
    end

    def log = @output.text

    # Starts a new monitor at the same address.
    #: () -> void
    def start_again
      @board.close
      @board = @status = nil
      start
    end

    #: () -> void
    def clean_up
      super
    ensure
      [@served, @output].each(&:close)
    end
  end
end
