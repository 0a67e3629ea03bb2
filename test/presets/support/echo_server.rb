# frozen_string_literal: true

require "openssl"
require "socket"
require "support/bounded_wait"
require_relative "self_signed"

module Coppice
  # Vendors' servers, faked: answers each request of HTTP/1.1 with the last part of its path and the number of its
  # connection, as in "TOKEN 3", and keeps the connection. `respond` answers another body, to a Request.
  class EchoServer
    # headers: by their names in lower case; body: bytes; connection: its number.
    Request = Struct.new(:path, :headers, :body, :connection)

    # Yields a server, and stops it afterwards.
    def self.open(**options)
      server = new(**options)
      server.start
      yield server
    ensure
      server&.stop
    end

    def initialize(tls: false, respond: nil)
      @own = SelfSigned.new if tls
      @tls = context if tls
      @respond = respond || ->(request) { "#{File.basename(request.path)} #{request.connection}" }
      @listener = TCPServer.new("127.0.0.1", 0)
      @stopped, @stop = IO.pipe
      @sockets = []
      @threads = []
    end

    # Of a server with TLS, in PEM.
    def certificate = @own.certificate.to_pem
    def port = @listener.addr[1]
    def url = "#{@tls ? "https" : "http"}://127.0.0.1:#{port}"

    def start
      @acceptor = Thread.new { accept while IO.select([@listener, @stopped]).first == [@listener] }
    end

    # The acceptor is not killed: a kill could come between a connection and its place in the list.
    def stop
      @stop.close
      BoundedWait.value_of(@acceptor)
      @threads.each { |thread| BoundedWait.value_of(thread.kill) }
      [*@sockets, @listener, @stopped].each(&:close)
    end

    private

    def accept
      socket = @listener.accept_nonblock(exception: false)
      return if socket == :wait_readable # the client has left

      number = @sockets.push(socket).size
      @threads << Thread.new { serve(socket, number) }
    end

    def serve(socket, number)
      stream = @tls ? OpenSSL::SSL::SSLSocket.new(socket, @tls).tap(&:accept) : socket
      nil while answer(stream, number)
    rescue SystemCallError, IOError, OpenSSL::SSL::SSLError
      # The client is gone.
    ensure
      socket.close
    end

    # Raises EOFError if the client leaves in the middle of a request, as a process does that exits: what has come of
    # it is no request.
    def answer(stream, number)
      line = stream.gets or return
      headers = {}
      until (field = next_line(stream)).empty?
        name, value = field.split(/:\s*/, 2)
        headers[name.downcase] = value
      end
      stream.write("HTTP/1.1 100 Continue\r\n\r\n") if headers["expect"]
      text = @respond.call(Request.new(line.split[1], headers, body(stream, headers), number))
      stream.write("HTTP/1.1 200 OK\r\ncontent-length: #{text.bytesize}\r\n\r\n#{text}")
      true
    end

    def next_line(stream) = stream.gets&.then { |line| line.chomp if line.end_with?("\n") } || raise(EOFError)

    def body(stream, headers)
      return read(stream, headers["content-length"].to_i) unless headers["transfer-encoding"] == "chunked"

      text = +""
      while (size = next_line(stream).to_i(16)).positive?
        text << read(stream, size)
        next_line(stream)
      end
      next_line(stream)
      text
    end

    def read(stream, size)
      bytes = stream.read(size)
      bytes&.bytesize == size ? bytes : raise(EOFError)
    end

    def context
      OpenSSL::SSL::SSLContext.new.tap { |context| context.cert, context.key = @own.certificate, @own.key }
    end
  end
end
