# frozen_string_literal: true

require "socket"
require "coppice/errors"
require "coppice/log/text"
require "coppice/os/clock"
require "coppice/os/process_stat"

module Coppice
  module Control
    # One connection of a Client: says a line and reads the lines of the answer, within a time. Does not own the socket.
    class Call
      ANSWER_SECONDS = 15 # for the connection, and for the first line: on a busy machine the monitor may stand still
      POLL_INTERVAL = 0.05 # seconds until the next try when the queue of the socket is full
      MAX_BYTES = 4 * 1024 * 1024 # of an answer

      # seconds: until the last line must have come; nil for no limit. pid: the monitor's, if it is known.
      #: (Socket, Integer?, ?pid: Integer?) -> void
      def initialize(socket, seconds, pid: nil)
        @socket = socket
        @seconds = seconds
        @pid = pid
        @started = OS::Clock.now
        @received = 0
      end

      # A full queue is the same as no answer, but for that the kernel has nothing to wait for. Raises Error,
      # SystemCallError.
      #: (Addrinfo) -> void
      def connect(address)
        @socket.connect_nonblock(address)
      rescue Errno::EAGAIN
        Kernel.sleep [POLL_INTERVAL, seconds_left].min
        retry
      end

      # Who was dropped before it had said everything can have an answer all the same.
      #: (String, ?descriptors: Array[IO]) -> void
      def say(line, descriptors: [])
        rights = descriptors.empty? ? [] : [Socket::AncillaryData.unix_rights(*descriptors)]
        @socket.sendmsg("#{line}\n", 0, nil, *rights)
      rescue Errno::EPIPE, Errno::ECONNRESET
        nil
      end

      # All but the last one; each is also yielded. Raises Error.
      #: () ?{ (String) -> void } -> Array[String]
      def lines
        lines = []
        each_line do |line|
          return lines if line == "ok"
          raise Error, line.delete_prefix("error: ") if line.start_with?("error: ")

          lines << line
          yield line if block_given?
        end
        raise Error, "the server has closed the connection without an answer"
      end

      private

      # Looks at each byte once, because a line may be as long as an answer.
      def each_line
        rest = +""
        while (bytes = next_bytes)
          *ends, start = bytes.split("\n", -1)
          ends.each do |text|
            yield Log::Text.printable((rest << text).chomp)
            rest = +""
          end
          rest << start
        end
      end

      # nil at the end.
      def next_bytes
        late unless @socket.wait_readable(seconds_left)
        bytes = @socket.recv(65_536)
        return if bytes.nil? || bytes.empty?

        @received += bytes.bytesize
        @received > MAX_BYTES ? raise(Error, "the answer is too long") : bytes.b
      rescue Errno::ECONNRESET
        nil
      end

      # nil for no limit.
      def seconds_left
        limit = @received.zero? ? ANSWER_SECONDS : @seconds
        return unless limit

        left = @started + limit - OS::Clock.now
        left.positive? ? left : late
      end

      def late
        raise Error, "not done within #{@seconds} s" if @received.positive?

        raise Error, "the monitor#{" (process #{@pid})" if @pid} does not answer within #{ANSWER_SECONDS} s#{state}"
      end

      def state
        return unless @pid
        return ". It has exited" unless (stat = OS::ProcessStat.of(@pid))

        ". It is stopped: kill -CONT #{@pid} continues it" if stat.stopped?
      end
    end
  end
end
