# frozen_string_literal: true

require "socket"
require "tempfile"
require_relative "bounded_wait"

module Coppice
  class TestLobby
    # One client of a TestLobby, served on a thread: reads its requests and pushes them, writes what comes in the ring.
    class Session
      CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n"
      READ_BYTES = 16 * 1024

      # address: of the client. bytes: what was read from it. body_bytes: a larger body goes into a file. buffering:
      # whether the lobby reads bodies. keep: whether the connection may stay open.
      def initialize(lobby, socket, address:, bytes:, body_bytes:, buffering:, keep:)
        @lobby = lobby
        @socket = socket
        @body_bytes = body_bytes
        @buffering = buffering
        @keep = keep
        @address = address
        @bytes = bytes.b
        @pushed = Queue.new
        @thread = Thread.new { serve }
      end

      # Waits for a request, and answers whether there is one for the connection.
      def take(connection) = BoundedWait.pop(@pushed) ? @lobby.seat.pop_into(connection) : false

      # Once its client has left.
      def end
        BoundedWait.value_of(@thread)
      ensure
        @lobby.close
      end

      private

      def serve
        while (head = read_head)
          break unless answer(head)
        end
      ensure
        @pushed.close
        @socket.close unless @socket.closed?
      end

      def read_head
        until (head = Memory.head(@bytes))
          raise "the head is refused: #{@bytes.inspect}" if head == false
          return unless receive
        end
        head
      end

      def receive
        @bytes << @socket.readpartial(READ_BYTES)
      rescue EOFError, SystemCallError
        nil
      end

      # Answers whether the connection stays open.
      def answer(head)
        length, content_length, chunked, keep_alive = head
        some = chunked || content_length.to_i.positive?
        flags = @keep && keep_alive ? [:keep] : []
        return push(@bytes.slice!(0..), 0, [:unbuffered]) && pump if some && !@buffering

        body = read_body(length, content_length, chunked) if some
        return false if some && !body

        push_request(@bytes.slice!(0, length), body || "", flags)
        pump
      end

      def push_request(head, body, flags)
        return push(head + body, body.bytesize, flags) if body.bytesize <= @body_bytes

        @file = Tempfile.create("coppice-body", binmode: true).tap { |file| File.unlink(file.path) && file.write(body) }
        @file.flush
        push(head, body.bytesize, [*flags, :body_file])
      end

      def push(bytes, body_length, flags)
        server = @socket.local_address unless bytes.match?(/^host:/i)
        server = server&.ip? ? [server.ip_address, server.ip_port] : nil
        @slot, _, @serial = @lobby.push(bytes, body_length: body_length, flags: flags, client: @address, server: server)
        @pushed << true
      end

      # Leaves the head where it is.
      def read_body(head_length, content_length, chunked)
        continue = @bytes.match?(%r{HTTP/1\.1\r.*^expect:}im) && @bytes.bytesize == head_length
        @socket.write(CONTINUE) if continue
        chunked ? read_chunks(head_length) : read_sized(head_length, content_length)
      end

      def read_sized(head_length, length)
        (receive or return) while @bytes.bytesize < head_length + length
        @bytes.slice!(head_length, length)
      end

      def read_chunks(start)
        body = +"".b
        loop do
          (receive or return) until (line = @bytes.index("\r\n", start))
          size = @bytes[start...line].hex
          at_end = line + 2 + size
          (receive or return) while @bytes.bytesize < at_end + 2
          body << @bytes[line + 2, size]
          next @bytes.slice!(start...(at_end + 2)) if size.positive?

          (receive or return) until (last = @bytes.index("\r\n\r\n", line))
          @bytes.slice!(start...(last + 4))
          return body
        end
      end

      # Until the request's end. Answers whether the connection stays open.
      def pump
        loop do
          @lobby.read_records.each do |record|
            next unless record.serial == @serial
            return finish(record) if record.type == :end

            write(record)
          end
          wait
        end
      end

      def finish(last)
        @file&.close
        @file = nil
        return false if @socket.closed?

        @socket.setsockopt(Socket::Option.linger(true, 0)) if last.reset?
        last.whole? && @kept
      end

      def write(record)
        @kept = record.keep? if record.type == :head
        return write_file(*record.payload.unpack("QQ")) if record.type == :file

        @socket.write(record.payload)
      rescue SystemCallError, IOError
        @lobby.memory.client_gone(@slot)
      end

      def write_file(offset, length)
        file = @files.shift
        @socket.write(file.pread(length, offset))
      ensure
        file.close
      end

      def wait
        @lobby.memory.wakes
        return unless @lobby.memory.sleeps?(false)

        readable = [@lobby.event, @lobby.socket]
        readable << @socket unless @gone || @socket.closed?
        ready, = IO.select(readable)
        @lobby.memory.wakes
        note_end if ready.include?(@socket)
        obey(@lobby.receive_packet) if ready.include?(@lobby.socket)
      end

      # Bytes that the client sends meanwhile stay where they are, and are not looked at again.
      def note_end
        @gone = true
        @lobby.memory.client_gone(@slot) if @socket.recv(1, Socket::MSG_PEEK).to_s.empty?
      rescue SystemCallError
        @lobby.memory.client_gone(@slot)
      end

      def obey(packet)
        type, serial, descriptor = packet
        case type
        when FILE then (@files ||= []) << descriptor.tap { raise "of another request" unless serial == @serial }
        when ASK_BODY then @lobby.send_packet(BODY, serial, @file)
        when ASK_CLIENT then hand_over(serial)
        end
      end

      def hand_over(serial)
        @lobby.read_records.each { |record| write(record) }
        @lobby.send_packet(CLIENT, serial, @socket, @bytes.slice!(0..))
        @socket.close
      end
    end
  end
end
