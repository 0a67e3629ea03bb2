# frozen_string_literal: true

require "io/wait"
require "securerandom"
require "socket"
require "tempfile"
require "support/c_program"
require "support/bounded_wait"

module Coppice
  # A lobby of its own, under sanitizers, whose monitor and workers a C program without them plays
  # (test/lobby/lobby_play.c) as the test tells it. The clients are sockets of the test.
  class LobbyPlay
    SOURCES = ["ext/coppice/{lobby/*,http,shared}/*.c"].freeze
    MACROS = { LINGER_PAUSE_MS: 60_000, FILE_ERROR_PAUSE_MS: 3_600_000, OTHERS_MS: 3_600_000, HELD_MS: 1 }.freeze
    LOOP = CProgram.new("coppice-lobby", *SOURCES, macros: MACROS)
    # Its loop dies as soon as it has given a client to a worker.
    DYING_LOOP = CProgram.new("coppice-lobby-dying", *SOURCES, "test/lobby/dying_handover.c", macros: MACROS,
                              flags: ["-Wl,--wrap=sendmsg"])
    # A worker's packet comes to its loop right behind the look that has found none.
    LATE_LOOP = CProgram.new("coppice-lobby-late", *SOURCES, "test/lobby/late_packet.c", macros: MACROS,
                             flags: ["-Wl,--wrap=recv"])
    PLAYERS = CProgram.new("lobby_play", "test/lobby/{lobby_play,play_monitor,play_worker}.c",
                           "ext/coppice/shared/{answer_ring,request_queue}.c", sanitizers: [])
    # Nobody waits for these timeouts, and no machine is so slow that a client is past one.
    SETTINGS = { slots: 32, max_connections: 64, keepalive_timeout_ms: 120_000, trusted_keepalive_timeout_ms: 120_000,
                 client_header_timeout_ms: 120_000, client_body_timeout_ms: 120_000,
                 client_write_timeout_ms: 120_000, client_min_rate: 0,
                 max_request_line_bytes: 15_360, max_header_bytes: 114_688, max_header_count: 128, max_body_bytes: -1,
                 max_waiting: 24, queue_timeout_ms: 0, retry_lost_requests: 1, request_buffering: 1,
                 response_buffer: 1 << 20, buffer_disk_limit: 1 << 30, max_connections_per_client: 0,
                 accept_order_fair: 0, listeners: 1 }.freeze
    # A search for leaks takes longer than most plays, and would see the keeper only: the loop, which has the clients,
    # ends without one. bin/fuzz lobby counts its memory.
    ENVIRONMENT = CProgram.without_leak_search
    # Types and flags of records (answer_ring.h).
    HEAD, DATA, FILE, HINTS, ENDED = 1, 2, 3, 4, 5
    KEEP, WHOLE, RESET = 1, 2, 4
    # Of packets (lobby_memory.h).
    ASK_BODY, ASK_CLIENT = 1, 2
    BODY, CLIENT, GONE = 4, 5, 6
    private_constant :SOURCES, :MACROS, :PLAYERS, :SETTINGS, :ENVIRONMENT

    # What a worker took: flags and the length of the body, which may be in a file; bytes are head and body, fields the
    # names and values that the lobby has found in the head.
    Taken = Struct.new(:slot, :serial, :flags, :body_length, :bytes, :fields) do
      def keep? = flags.anybits?(1)
      def body_in_file? = flags.anybits?(2)
      def unbuffered? = flags.anybits?(4)
      def retried? = flags.anybits?(8)
      def https? = flags.anybits?(16)
      def body = bytes.split("\r\n\r\n", 2).last
      def target = bytes[/\A\S+ (\S+)/, 1]
    end

    # listening: whether the socket listens from the beginning, or only from `listen` on. accept: whether the lobby
    # accepts from the beginning. descriptors: how many the lobby may have. file_bytes: how large its files may become.
    # unix: whether clients come through a Unix socket. watchable: whether epoll takes what it has for a listener.
    #: (?program: CProgram, ?listening: bool, ?accept: bool, ?descriptors: Integer?, ?file_bytes: Integer?, ?unix: bool,
    #:   ?watchable: bool, **untyped) -> void
    def initialize(program: LOOP, listening: true, accept: listening, descriptors: nil, file_bytes: nil, unix: false,
                   watchable: true, **settings)
      place = unix ? Addrinfo.unix("\0lobby_play.#{SecureRandom.hex}") : Addrinfo.tcp("127.0.0.1", 0)
      @listener = Socket.new(place.pfamily, :STREAM).tap { |socket| socket.bind(place) }
      @listener.listen(Socket::SOMAXCONN) if listening
      @address = @listener.local_address
      @input, output = IO.pipe
      commands, @commands = IO.pipe
      @errors = Tempfile.new("lobby")
      @access_log, log = IO.pipe if settings.key?(:access_log)
      unwatchable = File.open(File::NULL) unless watchable
      passed = [unwatchable || @listener, log].compact.map(&:fileno)
      options = { in: commands, out: output, err: @errors, **limits(descriptors, file_bytes) }
      options.merge!(passed.to_h { |fd| [fd, fd] })
      @pid = Process.spawn(ENVIRONMENT, PLAYERS.path, program.path, *passed.map(&:to_s), options)
      [commands, output, log, unwatchable].each { |io| io&.close }
      @clients = []
      begin_lobby(accept, SETTINGS.merge(settings))
    rescue StandardError
      abandon
      raise
    end

    attr_reader :access_log #: IO?

    # As the monitor does once a worker is ready.
    def listen #: () -> void
      @listener.listen(Socket::SOMAXCONN)
      tell("tell accept")
    end

    # What the C program answers.
    def tell(line) #: (String) -> String
      @commands.puts(line)
      complaint = -> { "no answer to #{line[0, 60]}:\n#{errors}" }
      BoundedWait.readable(@input, BoundedWait::SECONDS, complaint).gets&.chomp or raise complaint.call
    end

    def seat(number) = tell("seat #{number}") #: (Integer) -> String

    # Waits as a worker does for the next request.
    def pop(number = 0) #: (?Integer) -> Taken
      taken(tell("pop #{number}"))
    end

    def try_pop(number = 0) #: (?Integer) -> Taken?
      line = tell("try_pop #{number}")
      line == "empty" ? nil : taken(line)
    end

    def record(type, payload = "", seat: 0, status: 0, flags: 0, serial: 0)
      tell("record #{seat} #{type} #{status} #{flags} #{serial} #{payload.unpack1("H*")}")
    end

    def publish(seat = 0) = tell("publish #{seat}")

    # A whole answer of the worker on this seat, with a body of known length.
    def answer(body, seat: 0, keep: true, status: 200)
      head(body.bytesize, seat: seat, keep: keep, status: status)
      record(DATA, body, seat: seat) unless body.empty?
      finish(seat: seat)
    end

    # Takes the next request, and answers it with a body of this length: the pattern that `fill` writes.
    def answer_large(length, keep: true)
      pop
      head(length, keep: keep)
      tell("fill 0 #{length}")
      finish
    end

    def head(length, seat: 0, keep: true, status: 200)
      text = "HTTP/1.1 #{status} OK\r\ncontent-length: #{length}\r\n#{"connection: close\r\n" unless keep}\r\n"
      record(HEAD, text, seat: seat, status: status, flags: keep ? KEEP : 0)
    end

    def finish(seat: 0, flags: WHOLE)
      record(ENDED, seat: seat, flags: flags)
      publish(seat)
    end

    def counter(name) = Integer(tell("counter #{name}")) #: (Symbol) -> Integer

    # Waits until the board says so.
    def await_counter(name, value) #: (Symbol, Integer) -> void
      now = nil
      BoundedWait.wait(BoundedWait::SECONDS, -> { "#{name} is #{now}, not #{value}\n#{errors}" }, interval: 0) do
        (now = counter(name)) == value
      end
    end

    def connect(bytes = nil, receive_buffer: nil) #: (?String?, ?receive_buffer: Integer?) -> Socket
      socket = Socket.new(@address.afamily, :STREAM)
      socket.setsockopt(:SOCKET, :RCVBUF, receive_buffer) if receive_buffer
      socket.connect(@address)
      @clients << socket
      socket.write(bytes) if bytes
      socket
    end

    # One response, as [head, body]; nil at the end of the connection.
    def read_response(socket, head_only: false)
      head = +""
      head << (read_some(socket, 1) or return nil) until head.end_with?("\r\n\r\n")
      length = head_only ? 0 : Integer(head[/content-length: (\d+)/i, 1] || 0)
      body = +""
      body << (read_some(socket, length - body.bytesize) or break) while body.bytesize < length
      [head, body]
    end

    def read_some(socket, most)
      BoundedWait.readable(socket, BoundedWait::SECONDS, -> { "the lobby sends nothing\n#{errors}" }).readpartial(most)
    rescue EOFError
      nil
    end

    # What comes until the end; :reset when that is one.
    def read_all(socket)
      text = +""
      while (part = read_some(socket, 65_536))
        text << part
      end
      text
    rescue Errno::ECONNRESET
      :reset
    end

    def reset(socket)
      socket.setsockopt(Socket::Option.linger(true, 0))
      socket.close
    end

    # Ends all of it; the lobby's exit status, and nothing said by sanitizers.
    def quit #: () -> Integer
      @clients.each { |client| client.close unless client.closed? }
      status = Integer(tell("quit"))
      BoundedWait.status_of(@pid)
      status
    ensure
      close
    end

    def errors
      File.read(@errors.path)
    end

    private

    def limits(descriptors, file_bytes)
      { rlimit_nofile: descriptors, rlimit_fsize: file_bytes }.compact
    end

    # It has not started.
    def abandon
      @commands.close
      BoundedWait.status_of(@pid)
      close
    end

    def begin_lobby(accept, settings)
      settings.each { |name, value| Array(value).each { |one| @commands.puts "#{name} #{one}" } }
      @commands.puts "listener 0 proxy_protocol 0 https 0 borrowed 0" unless settings.key?(:listener)
      ready = tell("")
      raise "the lobby did not start: #{ready}\n#{errors}" unless ready == "ready"

      tell("tell accept") if accept
    end

    def taken(line)
      *numbers, bytes, fields = line.split(" ", 6)
      fields = [fields].pack("H*").lines(chomp: true).map { |field| field.split("=", 2) }
      Taken.new(*numbers.map { |number| Integer(number) }, [bytes].pack("H*"), fields)
    end

    def close
      [@listener, @input, @commands, @access_log].compact.each { |io| io.close unless io.closed? }
      @errors.close!
    end
  end
end
