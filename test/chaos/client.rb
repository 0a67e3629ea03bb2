# frozen_string_literal: true

require "io/wait"

module Chaos
  # Sends requests to the server, each over a connection of its own, and checks the responses. A refused connection is
  # not a lost request: the client could retry it with another server.
  class Client
    READ_TIMEOUT = 60 # seconds: longer than anything that the server may take

    # A request without a response, or with a wrong one. at: monotonic seconds when the client noticed.
    Lost = Struct.new(:id, :at, :reason, keyword_init: true)

    Refused = Class.new(IOError)
    private_constant :Refused

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
      id = next_id
      status, text = exchange("/#{verb}/#{id}", body)
      return lose(id, "the response of another request: #{text.inspect}") if status == 200 && text != id.to_s

      @lock.synchronize { @answers[status] += 1 }
      status
    rescue Refused
      @lock.synchronize { @refusals << now }
      nil
    rescue SystemCallError, IOError => error
      lose(id, "#{verb}: #{error.class}: #{error.message}")
    end

    # Sends a request that causes a fault, so it expects no response. Returns the request's number.
    #: (String, Symbol) -> Integer
    def provoke(verb, action)
      id = next_id
      exchange("/#{verb}/#{id}/#{action}", nil)
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

    def lose(id, reason)
      @lock.synchronize { @lost << Lost.new(id: id, at: now, reason: reason) }
      nil
    end

    def exchange(path, body)
      socket = connect
      send_request(socket, path, body)
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
    def send_request(socket, path, body)
      verb = body ? "POST" : "GET"
      length = "Content-Length: #{body.bytesize}\r\n" if body
      socket.write("#{verb} #{path} HTTP/1.1\r\nHost: chaos\r\nConnection: close\r\n#{length}\r\n#{body}")
    rescue Errno::EPIPE
      nil
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
