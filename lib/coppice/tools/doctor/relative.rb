# frozen_string_literal: true

require "socket"
require "coppice/control/channel"
require "coppice/control/messages"
require "coppice/errors"
require "coppice/http/request_head"
require "coppice/os/clock"

module Coppice
  module Doctor
    # A mold or worker of the chain, as the doctor's process sees it, which is in the place of its monitor. It waits for
    # the process's messages, and makes requests to a worker.
    class Relative
      STATUS = %r{^HTTP/1\.\d ([2-5]\d\d)}.freeze # not a 103 (early hints)
      LENGTH = /^content-length: (\d+)\r\n/i.freeze
      # https, because an application may redirect or refuse plain http.
      HEADERS = { "Connection" => "close", "X-Forwarded-Proto" => "https" }.freeze
      CHUNK_BYTES = 65_536
      MOMENT = 1 # seconds between the end of a connection and that of its process

      attr_reader :name       #: String -- for people
      attr_reader :generation #: Integer
      attr_reader :row        #: Board::Row
      attr_reader :audited    #: Array[ForkSafety::Finding] -- what the fork audit has found in it
      attr_reader :theirs     #: Control::Channel -- the end that belongs to the process
      attr_reader :listener   #: UNIXServer

      # seconds: the limit of each wait.
      #: (role: Symbol, generation: Integer, row: Board::Row, seconds: Numeric) -> void
      def initialize(role:, generation:, row:, seconds:)
        @name = "#{role} of generation #{generation}"
        @generation = generation
        @row = row
        @seconds = seconds
        @ours, @theirs = Control::Channel.pair
        @audited = []
        @address = "\0coppice-doctor-#{Process.pid}-#{object_id}"
        @listener = UNIXServer.new(@address) if role == :worker
      end

      #: (Object, **untyped) -> Symbol
      def send(message, **descriptors) = @ours.send(message, descriptors: descriptors)

      # In the process itself, if it was not forked from another relative: closes the doctor's end.
      #: () -> void
      def close_doctors_end = @ours.close

      # Closes what was passed to the process. The pid is known of a child of this process; others register it.
      #: (?Integer?) -> void
      def started(pid = nil)
        @pid = pid
        [@theirs, @listener].compact.each(&:close)
      end

      # Waits until the process is ready. Raises ChainBroken when it ends before, or takes too long.
      #: () -> void
      def wait_until_ready
        wait { |message| message.is_a?(Control::Messages::Ready) }
      end

      # Waits until the process has ended. Not for the end of its channel, which the application's own forks may keep
      # open. Raises ChainBroken when that takes too long.
      #: () -> void
      def wait_until_gone
        return if exits_within?(@seconds)

        raise ChainBroken, "the #{@name} does not exit: before_worker_exit or a handler of at_exit takes longer than " \
                           "#{@seconds} s (--limit)"
      end

      # Raises ChainBroken when the process has ended, or ends at this moment.
      #: (?String) -> void
      def check_alive(moment = "")
        while @ours.socket.wait_readable(MOMENT)
          packet = @ours.receive
          raise ChainBroken, "the #{@name} ended#{ending}#{moment}" if packet == :closed
        end
      end

      # After a request: raises ChainBroken when the process has ended in it, or is still at work on it.
      #: (String) -> void
      def check_after(path)
        raise ChainBroken, "the #{name} ended: GET #{path} took longer than the option timeout" if @row.timed_out == 1

        check_alive(" in GET #{path}") if @answer.zero?
        return unless @overdue && !@row.started_ms.zero?

        raise ChainBroken, "the #{name} has not finished GET #{path} after #{@seconds} s (--limit)"
      end

      # The status of a GET request, or 0 if there was no response in time.
      #: (String, Hash[String, String]) -> Integer
      def get(path, headers)
        @answer = request(path, headers)
      end

      private

      def request(path, headers)
        socket = UNIXSocket.new(@address)
        socket.write(Http::RequestHead.text("GET", path, HEADERS, headers))
        read(socket)[STATUS, 1].to_i
      rescue Errno::ECONNREFUSED, Errno::ECONNRESET, Errno::EPIPE
        0
      ensure
        socket&.close
      end

      # The response until it is complete, or no more comes in time. The application's own forks may keep the connection
      # open.
      def read(socket)
        deadline = OS::Clock.now + @seconds
        text = "".b
        while (left = deadline - OS::Clock.now).positive? && !complete?(text)
          chunk = socket.wait_readable(left) ? socket.read_nonblock(CHUNK_BYTES, exception: false) : :wait_readable
          break if chunk.nil?

          text << chunk unless chunk == :wait_readable
        end
        @overdue = !left.positive?
        text
      end

      def complete?(text)
        head, separator, body = text.partition("\r\n\r\n")
        length = head.match?(STATUS) && "#{head}\r\n"[LENGTH, 1]
        !separator.empty? && length && body.bytesize >= length.to_i
      end

      def wait
        deadline = OS::Clock.now + @seconds
        while (left = deadline - OS::Clock.now).positive?
          case packet = (@ours.receive if @ours.socket.wait_readable(left))
          when nil, :empty then next
          when :closed then raise ChainBroken, "the #{@name} ended#{ending}"
          end
          note(packet.message)
          return if yield packet.message
        end
        raise ChainBroken, "the #{@name} hangs: it took longer than #{@seconds} s (--limit)"
      end

      def note(message)
        case message
        when Control::Messages::Registered then @pid = message.pid
        when Control::Messages::AuditFinished
          @audited.concat(message.findings.map { |values| ForkSafety::Finding.new(*values) })
        end
      end

      # How the process ended, once it has registered.
      def ending
        return " before it could run" unless @pid

        return "" unless exits_within?(MOMENT)

        @status.signaled? ? ": killed by SIG#{Signal.signame(@status.termsig)}" : " with status #{@status.exitstatus}"
      end

      def exits_within?(seconds)
        deadline = OS::Clock.now + seconds
        until reaped?
          left = deadline - OS::Clock.now
          return false unless left.positive?

          Kernel.sleep(0.01) if OS.wait_exit(@pid, (left * 1000).ceil).nil?
        end
        true
      end

      def reaped?
        @status ||= Process.wait2(@pid, Process::WNOHANG)&.last
      end
    end
  end
end
