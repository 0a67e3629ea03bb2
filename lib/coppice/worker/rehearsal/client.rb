# frozen_string_literal: true

module Coppice
  class Worker
    class Rehearsal
      # The client's side of a rehearsal. It runs on a second thread, because a long request or response does not fit
      # into the buffers of a socket. All requests use the same thread, so that its stack is not measured as memory that
      # they allocate.
      class Client
        CHUNK_BYTES = 65_536
        STATUS = %r{\AHTTP/1\.\d ([2-5]\d\d)}.freeze # not a 103 (early hints)

        # status: 0 if there was no response. location: where a redirect leads to.
        Answer = Struct.new(:status, :location)

        def initialize
          @requests = Queue.new
          @answers = Queue.new
          @chunk = String.new(capacity: CHUNK_BYTES)
          @thread = Thread.new { exchange while true }
        end

        # Sends a request on a socket, with this head and body; does not wait for the response. Its cookies are stored.
        #: (UNIXSocket, String, String, Http::CookieJar?) -> void
        def send(socket, head, body, cookies) = @requests << [socket, head, body, cookies]

        # Waits until the whole response was read.
        #: () -> Answer
        def answer = @answers.pop

        #: () -> void
        def finish = @thread.kill.join

        private

        def exchange
          @answers << ask(*@requests.pop)
        rescue IOError # the worker exits in the middle of its request, which closes the socket: nobody awaits an answer
          nil
        end

        def ask(socket, head, body, cookies)
          socket.write(head, body)
          read(socket, cookies)
        rescue Errno::EPIPE # the server answered before it had read the whole request
          read(socket, cookies)
        end

        # Reads the whole response, so that the server can write all of it.
        def read(socket, cookies)
          answer = Answer.new(0)
          answer.status = socket.each_line.find { |line| line.match?(STATUS) }.to_s[STATUS, 1].to_i
          redirected = (300..399).cover?(answer.status)
          fields = fields(socket) if cookies || redirected
          answer.location = fields[/^location:[ \t]*(\S+)/i, 1] if redirected
          cookies&.store(fields.scan(/^set-cookie:[ \t]*(.*?)\r$/i).flatten)
          nil while socket.read(CHUNK_BYTES, @chunk)
          answer
        rescue Errno::ECONNRESET # the server did not read the whole request; the kernel reports that after the response
          answer
        end

        def fields(socket) = socket.each_line.take_while { |line| line != "\r\n" }.join
      end
    end
  end
end
