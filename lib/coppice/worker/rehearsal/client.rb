# frozen_string_literal: true

module Coppice
  class Worker
    class Rehearsal
      # The client's part of a rehearsal, on a thread beside the one that serves: what is long does not fit into a socket.
      # Runs in the worker process. One thread for all requests: its stack would else be taken for what they allocate.
      class Client
        CHUNK_BYTES = 65_536
        STATUS = %r{\AHTTP/1\.\d ([2-5]\d\d)}.freeze # past early hints

        def initialize
          @requests = Queue.new
          @statuses = Queue.new
          @chunk = String.new(capacity: CHUNK_BYTES)
          @thread = Thread.new { answer(*@requests.pop) while true }
        end

        # Begins a request on a socket; the head and the body.
        #: (UNIXSocket, String, String) -> void
        def send(socket, head, body) = @requests << [socket, head, body]

        # What was answered, once everything is sent; 0 for nothing.
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
        rescue Errno::EPIPE # it was answered before it was read to its end
          read(socket)
        end

        # The rest is read for the server to get rid of it.
        def read(socket)
          found = socket.each_line.find { |line| line.match?(STATUS) }.to_s[STATUS, 1].to_i
          nil while socket.read(CHUNK_BYTES, @chunk)
          found
        rescue Errno::ECONNRESET # we were not read to our end, and that is told after the answer
          found.to_i
        end
      end
    end
  end
end
