# frozen_string_literal: true

module Coppice
  class Worker
    class Rehearsal
      # The client's side of a rehearsal, on a thread beside the one that serves: a long request or answer does not fit
      # into the buffers of a socket. One thread serves all requests, or its stack would count as memory that they
      # allocate.
      class Client
        CHUNK_BYTES = 65_536
        STATUS = %r{\AHTTP/1\.\d ([2-5]\d\d)}.freeze # past early hints

        def initialize
          @requests = Queue.new
          @statuses = Queue.new
          @chunk = String.new(capacity: CHUNK_BYTES)
          @thread = Thread.new { answer(*@requests.pop) while true }
        end

        # Begins a request on a socket, with this head and body.
        #: (UNIXSocket, String, String) -> void
        def send(socket, head, body) = @requests << [socket, head, body]

        # The status of the answer, once all of it was read; 0 when there was none.
        #: () -> Integer
        def status = @statuses.pop

        #: () -> void
        def finish = @thread.kill.join

        private

        def answer(socket, head, body)
          @statuses << ask(socket, head, body)
        end

        def ask(socket, head, body)
          socket.write(head, body)
          read(socket)
        rescue Errno::EPIPE # the server answered before it had read the whole request
          read(socket)
        end

        # Reads the whole answer, so that the server can write all of it.
        def read(socket)
          found = socket.each_line.find { |line| line.match?(STATUS) }.to_s[STATUS, 1].to_i
          nil while socket.read(CHUNK_BYTES, @chunk)
          found
        rescue Errno::ECONNRESET # the server did not read the whole request; the kernel reports that after the answer
          found.to_i
        end
      end
    end
  end
end
