# frozen_string_literal: true

require "socket"
require "support/bounded_wait"
require "tempfile"
require "zlib"
require_relative "echo_server"

module Coppice
  # Fakes of vendors' servers that keep what they receive, as one text.
  module Collectors
    # Of datagrams, in a process of its own: a thread shares Ruby's lock with the clients, and loses most of a burst.
    class Datagrams
      BUFFER = 4 << 20 # bytes; the kernel may allow less

      def self.open
        collector = new
        yield collector
      ensure
        collector&.stop
      end

      def initialize
        @socket = UDPSocket.new.tap { |socket| socket.bind("127.0.0.1", 0) }
        @socket.setsockopt(:SOCKET, :RCVBUF, BUFFER)
        @file = Tempfile.create("coppice-datagrams-", mode: File::APPEND)
        @pid = fork { receive while true }
      end

      def port = @socket.addr[1]
      def text = File.binread(@file.path)

      def stop
        Process.kill(:KILL, @pid)
        BoundedWait.status_of(@pid)
        @socket.close
        @file.close
        File.unlink(@file.path)
      end

      private

      def receive
        datagram, = @socket.recvfrom(65_536)
        @file.syswrite("#{datagram}\n")
      end
    end

    # Yields an EchoServer, and a lambda that answers all bodies sent to it so far. `answer` gets the path and the body
    # of a request, and answers what the server responds. With `identifier`, the name of a header, a body is kept once
    # for each value of it: clients send the same one again when their first try has failed halfway.
    def self.http(answer: ->(_path, _body) { "{}" }, identifier: nil, **options)
      texts = {}
      lock = Mutex.new
      respond = lambda do |request|
        body = request.body.to_s.b
        body = Zlib.gunzip(body) if body.start_with?("\x1f\x8b".b)
        lock.synchronize do
          texts[request.headers[identifier] || Object.new] ||= body
          answer.call(request.path, body)
        end
      end
      received = -> { lock.synchronize { texts.values.join("\n") } }
      EchoServer.open(respond: respond, **options) { |server| yield server, received }
    end
  end
end
