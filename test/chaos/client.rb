# frozen_string_literal: true

require "io/wait"
require_relative "server"

module Chaos
  # Sends requests to the server, each over a connection of its own, and checks the responses. A refused connection is
  # not a lost request: the client could retry it with another server.
  class Client
    READ_TIMEOUT = 60 # seconds: longer than anything that the server may take

    # The lobby says so where a worker was lost, or took too long.
    LOST = [502, 504].freeze

    # Seconds in which a client sends its request. The server may close the connection of a slower one: when it stops, a
    # second later, and always after client_header_timeout.
    SEND_TIME = 0.5

    # A request without a response, or with a wrong one. began, at: monotonic seconds before the connect, and when the
    # client noticed. slow: whether the client was slow to send it. overdue: whether the lobby answered 504 after the
    # server's timeout.
    Lost = Struct.new(:id, :began, :at, :reason, :slow, :overdue, keyword_init: true)

    # One request of a client. began, sent: monotonic seconds before the connect and after the head was written.
    Attempt = Struct.new(:id, :began, :sent, keyword_init: true) do
      def slow? = sent.nil? || sent - began > SEND_TIME
    end

    Refused = Class.new(IOError)
    private_constant :Refused, :Attempt

    #: (Server) -> void
    def initialize(server)
      @server = server
      @lock = Mutex.new
      @count = 0
      @lost = []
      @refusals = []
      @answers = Hash.new(0)
    end

    # Returns the status, or nil if there was no response.
    #: (String, ?body: String?) -> Integer?
    def ask(verb, body: nil)
      attempt = Attempt.new(id: next_id, began: now)
      status, text = exchange("/#{verb}/#{attempt.id}", body, attempt)
      return lose(attempt, "#{verb}: #{status}", overdue: overdue?(status, attempt)) if LOST.include?(status)
      return lose(attempt, "the response of another request: #{text.inspect}") if other?(status, text, attempt)
      return if status == 408 && attempt.slow?

      @lock.synchronize { @answers[status] += 1 }
      status
    rescue Refused
      @lock.synchronize { @refusals << now }
      nil
    rescue SystemCallError, IOError => error
      lose(attempt, "#{verb}: #{error.class}: #{error.message}")
    end

    # Sends a request that causes a fault, so it expects no response. Returns the request's number.
    #: (String, Symbol) -> Integer
    def provoke(verb, action)
      id = next_id
      exchange("/#{verb}/#{id}/#{action}", nil, Attempt.new(id: id, began: now))
      id
    rescue SystemCallError, IOError
      id
    end

    #: () -> Array[Lost]
    def lost = @lock.synchronize { @lost.dup }

    # Times of refused connections (monotonic seconds).
    #: () -> Array[Float]
    def refusals = @lock.synchronize { @refusals.dup }

    # Status => number of responses.
    #: () -> Hash[Integer, Integer]
    def answers = @lock.synchronize { @answers.dup }

    private

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

    def next_id = @lock.synchronize { @count += 1 }

    def other?(status, text, attempt) = status == 200 && text != attempt.id.to_s

    # A worker that stood still may end its request after that, and live on.
    def overdue?(status, attempt) = status == 504 && now - attempt.began >= Server::TIMEOUT

    def lose(attempt, reason, overdue: false)
      lost = { id: attempt.id, began: attempt.began, at: now, reason: reason, slow: attempt.slow?, overdue: overdue }
      @lock.synchronize { @lost << Lost.new(**lost) }
      nil
    end

    def exchange(path, body, attempt)
      socket = connect
      send_request(socket, path, body, attempt)
      head, text = read_all(socket).split("\r\n\r\n", 2)
      raise EOFError, "incomplete response" unless text && whole?(head, text)

      [head[/\A\S+ (\d+)/, 1].to_i, decoded(head, text)]
    ensure
      socket&.close
    end

    def connect
      @server.connect
    rescue Errno::ECONNREFUSED, Errno::ENOENT => error
      raise Refused, error.message
    end

    # If the server refuses the body, it may close the socket early. The response can still be read.
    def send_request(socket, path, body, attempt)
      verb = body ? "POST" : "GET"
      length = "Content-Length: #{body.bytesize}\r\n" if body
      socket.write("#{verb} #{path} HTTP/1.1\r\nHost: chaos\r\nConnection: close\r\n#{length}\r\n")
      attempt.sent = now
      socket.write(body) if body
    rescue Errno::EPIPE, Errno::ECONNRESET
      attempt.sent ||= now
    rescue Errno::ENOTCONN => error
      # A signal interrupted connect(2) while the queue was full. Ruby treats that as success.
      raise Refused, error.message
    end

    def read_all(socket)
      bytes = String.new
      while (piece = socket.read_nonblock(65_536, exception: false))
        next bytes << piece if piece.is_a?(String)
        raise IOError, "no response within #{READ_TIMEOUT} s" unless socket.wait_readable(READ_TIMEOUT)
      end
      bytes
    rescue Errno::ECONNRESET # after the response, when the server has closed the socket with a part of the body unread
      bytes
    end

    def whole?(head, text)
      length = head[/^content-length: (\d+)/i, 1]
      length ? text.bytesize == length.to_i : text.end_with?("0\r\n\r\n")
    end

    def decoded(head, text)
      head.match?(/^content-length:/i) ? text : text.scan(/^\h+\r\n(.*)\r\n/).join
    end
  end
end
