# frozen_string_literal: true

require_relative "../support/server"
require_relative "fifo"
require_relative "orders"

module Chaos
  # The server of one life: its log and the word of who serves what come through FIFOs, its configuration has orders looked
  # for everywhere. It can be started again at the same address.
  class Server < ::Server
    INSIDE = File.expand_path("inside", __dir__)

    # Short, since what hangs is waited for; long enough for a machine that is busy with other things.
    TIMEOUT = 2
    CLEANUP = 1
    SPAWN_TIMEOUT = 4

    APP = <<~RUBY.freeze
      require "#{INSIDE}/app"
      run Chaos::App.new(__dir__)
    RUBY

    # A logger of the user's has every line, also those of ends that were asked for.
    CONFIG = <<~RUBY.freeze
      require "#{INSIDE}/points"
      Chaos::Points.set_up(self, File.join(__dir__, "orders"))
      trap(:XFSZ) { nil } # else the limit for files ends the process before it can be told that there is no room
      logger Logger.new($stderr, formatter: ->(level, _, _, text) { "level=\#{level.downcase} \#{text}\\n" })
      timeout #{TIMEOUT}, cleanup: #{CLEANUP}
      spawn_timeout #{SPAWN_TIMEOUT}
      boot_timeout 60
      refork_backoff 0.3
      client_header_timeout 3 # a part of how long a worker may be without a sign of life
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

    # A new monitor, on the same socket.
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
