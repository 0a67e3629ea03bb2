# frozen_string_literal: true

require "socket"
require "coppice/config/options"
require "coppice/http"
require_relative "bounded_wait"
require_relative "test_lobby"

module Coppice
  # Serves one application to one client at a time, in the test's own process, over a
  # pair of sockets, on a thread.
  class HttpHarness
    class << self
      # Whether clients come through a lobby (TestLobby) unless told otherwise.
      attr_accessor :through_lobby

      # The lobbies' sessions, for a test's end.
      def sessions = @sessions ||= []

      # A Lingering without clients. Opens one, and so a descriptor, only when all others have some, because a file may
      # make hundreds of harnesses. They are closed when all tests of the file have ended.
      def lingering
        @lingerings ||= [].tap { |all| Minitest.after_run { all.each(&:close) } }
        @lingerings.find { |one| one.count.zero? } || @lingerings.push(Http::Lingering.new(LINGER_MS)).last
      end
    end

    DEFAULTS = {
      max_request_line_bytes: 15 * 1024, max_header_bytes: 112 * 1024, max_header_count: 128, max_body_bytes: nil,
      client_header_timeout: 60, client_body_timeout: 60, client_write_timeout: 60, client_min_rate: nil,
      client_body_buffer_size: 112 * 1024, buffer_directory: nil,
      trusted_networks: Config::Types::Networks::PRIVATE,
      allow_underscore_headers: false, logger: nil,
      rewindable_input: true, early_hints: false, check_client_connection: false
    }.freeze

    # How long a connection lingers: until its client leaves, however long the machine keeps that from running.
    LINGER_MS = 60_000

    Settings = Struct.new(*DEFAULTS.keys, keyword_init: true)

    # What a client got, taken apart.
    Answer = Struct.new(:raw) do
      def head = raw[/\A.*?\r\n\r\n/m].to_s
      def body = raw.delete_prefix(head)

      # The body without its chunks.
      def text = self["transfer-encoding"] ? body.gsub(/\h+\r\n(.*?)\r\n/m, '\1').chomp : body

      def status = head[%r{\AHTTP/1\.1 (\d{3})}, 1].to_i
      def lines = head.split("\r\n").drop(1)
      def [](name) = lines.filter_map { |line| line[/\A#{Regexp.escape(name)}: (.*)/i, 1] }.first
    end

    # Stands for the worker: notes what it is told.
    class Cycle
      attr_reader :events, :worker, :postponed_ms

      def initialize
        @events = []
        @worker = Object.new
        @postponed_ms = 0
      end

      def deadline = self
      def postpone(milliseconds) = @postponed_ms += milliseconds

      def request_refused = @events << :refused
      def headers_dropped(count) = @events << [:dropped, count]
      def body_awaited(_env) = nil
      def body_ended = nil
      def request_answered = @events << :answered

      def request_started(env)
        env["test.started"] = true
        @events << :started
      end

      def request_finished(_env)
        @events << :finished
      end
    end

    # Keeps what is logged.
    class Log
      attr_reader :entries

      def initialize
        @entries = []
      end

      %i[debug info warn error fatal].each do |level|
        define_method(level) { |message, **fields| @entries << [level, message, fields] }
      end

      def exception(message, error, **fields)
        @entries << [:error, "#{message}: #{error.message} (#{error.class})", fields]
      end

      # The messages of one level.
      def at(level) = @entries.filter_map { |entry| entry[1] if entry[0] == level }
    end

    attr_reader :connection, :exchange, :cycle, :log

    # keep: whether a lobby may keep the connection.
    def initialize(app = nil, lobby: HttpHarness.through_lobby, keep: false,
                   lingering: HttpHarness.lingering, **settings, &block)
      @through_lobby = lobby
      @keep = keep
      @settings = Settings.new(**DEFAULTS, **settings)
      @lingering = lingering
      @cycle = Cycle.new
      @log = Log.new
      @exchange = Http::Exchange.new(app: app || block, settings: @settings, logger: @log, cycle: @cycle,
                                     lingering: lingering)
      @connection = @exchange.connection
    end

    # The answer to a request, given as bytes.
    def serve(request, tcp: false)
      with_client(tcp: tcp) do |client|
        client.write(request)
        Answer.new(BoundedWait.read(client))
      end
    end

    # Yields the client's socket while a thread serves it; answers what the block does. `sent` is there before
    # the serving begins, and must fit into the socket's buffer.
    def with_client(tcp: false, sent: "")
      client = tcp ? connect_by_tcp : connect
      client.write(sent)
      serving = Thread.new { serve_to_the_end }
      yield client
    ensure
      client&.close
      BoundedWait.value_of(serving) if serving
    end

    # On this thread: one request.
    def serve_client
      @exchange.serve if @session.nil? || @session.take(@connection)
    end

    # A client's socket whose other end the connection has adopted.
    def connect(address = "127.0.0.1", bytes = "")
      ours, theirs = UNIXSocket.pair
      @through_lobby ? begin_session(theirs, address, bytes) : adopt(theirs, address, bytes)
      ours
    end

    # A client's socket over TCP on loopback, by accept.
    def connect_by_tcp
      server = TCPServer.new("127.0.0.1", 0)
      client = TCPSocket.new("127.0.0.1", server.local_address.ip_port)
      BoundedWait.readable(server) # the kernel may tell the client first
      return client.tap { begin_session(server.accept) } if @through_lobby
      raise "nothing to accept" unless @connection.accept(server.fileno)

      client
    ensure
      server.close
    end

    private

    def begin_session(socket, address = "127.0.0.1", bytes = "")
      options = { address: address, bytes: bytes, body_bytes: @settings.client_body_buffer_size, keep: @keep,
                  buffering: @settings.rewindable_input }
      @session = TestLobby::Session.new(TestLobby.new, socket, **options)
      HttpHarness.sessions << @session
    end

    # And until the clients that linger have left.
    def serve_to_the_end
      return @exchange.serve unless @session

      @exchange.serve while @session.take(@connection)
    ensure
      BoundedWait.wait(BoundedWait::SECONDS, "clients linger") { attended? } if @lingering
    end

    # Looks again and again: only on Linux a descriptor tells of them.
    def attended?
      @lingering.attend
      @lingering.count.zero?
    end

    # The connection owns the descriptor from here on; Ruby's object for it must not close it again.
    def adopt(socket, address, bytes)
      copy = socket.dup
      copy.autoclose = false
      @connection.adopt(copy.fileno, address, bytes)
      socket.close
    end
  end
end
