# frozen_string_literal: true

require "coppice/errors"

module Coppice
  class Monitor
    # One client of the control socket: reads its line, has the commands obey it, and writes the answer. It never
    # blocks: each call does what can be done at this moment. Descriptors that come along are closed once the commands
    # have obeyed the line.
    class ControlConnection
      MAX_LINE = 4096 # bytes
      MAX_DESCRIPTORS = 8 # that a client may send
      MAX_ANSWER = 1024 * 1024 # bytes that wait to be written, without the last line
      SECONDS = 10 # for the line, and for each pause of a client that reads its answer; less than clients wait

      # An answer whose last lines come later.
      #
      #   lines    what can be said at once
      #   seconds  until `late` is called; nil for no limit
      #   news     returns lines that are said meanwhile; nil when there are to be none
      #   poll     returns the other lines once they are known, nil before; raises Error
      #   late     returns the other lines when the time is over, nil to wait on; raises Error
      #   reader   an IO that becomes readable when it is worthwhile to poll; closed at the end
      #   input    takes each further line of the client; nil when there are to be none
      #   left     is called when the client disconnects before the last line
      Pending = Struct.new(:lines, :news, :seconds, :poll, :late, :reader, :input, :left, keyword_init: true)

      # Who says a line. peer: a Control::Endpoint::Peer. descriptors: what came with the line.
      Caller = Struct.new(:peer, :descriptors)

      #: (Socket, ControlCommands, Float, peer: Control::Endpoint::Peer) -> void
      def initialize(socket, commands, now, peer:)
        @socket = socket
        @caller = Caller.new(peer, [])
        @commands = commands
        @line = +""
        @answer = +""
        @deadline = now + SECONDS
        @state = :reading
      end

      # Does all that can be done without waiting.
      #: (Float) -> void
      def advance(now)
        @now = now
        read unless @input_ended
        return if closed?

        find_whether_client_reads if @input_ended && @state == :pending
        poll if @state == :pending
        write unless @answer.empty?
        close if over?
      rescue SystemCallError # the client is gone, or sends more than it may
        close
      end

      # What to wait for until the next call.
      #: () -> Array[IO]
      def readers = [(@socket unless @input_ended), (@pending.reader if @state == :pending)].compact

      #: () -> Array[IO]
      def writers = @answer.empty? ? [] : [@socket]

      #: () -> bool
      def closed? = @socket.closed?

      # Whether its client goes on to say things, as long as what it has asked for lasts.
      #: () -> bool
      def session? = @state == :pending && !@pending.input.nil?

      #: () -> void
      def close
        @pending&.left&.call unless @state == :done
        @pending&.reader&.close
        close_descriptors
        @socket.close
      end

      private

      def over?
        return @state == :done if @answer.empty? && @state != :reading

        @now >= @deadline
      end

      # What comes after the line is dropped, unless the command takes more lines.
      def read
        bytes, _, _, *controls = @socket.recvmsg_nonblock(MAX_LINE, 0, scm_rights: true, exception: false)
        return if bytes == :wait_readable

        take_descriptors(controls)
        return end_input if bytes.nil? || bytes.empty?
        return read_further(bytes) unless @state == :reading

        @line << bytes
        obey if @line.include?("\n") || @line.bytesize > MAX_LINE
      end

      def take_descriptors(controls)
        @caller.descriptors.concat(controls.flat_map { |control| control.unix_rights || [] })
        return if @caller.descriptors.size <= MAX_DESCRIPTORS
        raise Errno::EMFILE unless @state == :reading

        close_descriptors
        conclude(UsageError.new("at most #{MAX_DESCRIPTORS} descriptors may come with a line"))
      end

      def read_further(bytes)
        close_descriptors
        return unless session?

        @line << bytes
        raise Errno::EMSGSIZE if @line.bytesize > MAX_LINE

        pass_on_lines
      end

      def pass_on_lines
        while (line = @line.slice!(/\A.*\n/))
          @pending.input.call(line.scrub("?"))
        end
      end

      def close_descriptors = @caller.descriptors.each(&:close).clear

      # A client that has closed its sending side may still read, as socat does. But that of a session is gone.
      def end_input
        @input_ended = true
        return close if session?

        obey if @state == :reading
      end

      # The end of the input says no more than that it sends nothing. To send nothing to a client that is gone raises
      # EPIPE: it would keep its place among the connections until the answer is known.
      def find_whether_client_reads = @socket.sendmsg_nonblock("", 0, nil, exception: false)

      def obey
        line = @line.slice!(/\A.*\n?/).to_s
        raise UsageError, "a line has at most #{MAX_LINE} bytes" if line.bytesize > MAX_LINE

        answer = @commands.call(*line.scrub("?").split, caller: @caller)
        answer.is_a?(Pending) ? wait_for(answer) : finish(answer)
      rescue StandardError => error # the monitor must not die of a question
        conclude(error)
      ensure
        close_descriptors
      end

      def wait_for(pending)
        @pending = pending
        @late_at = @now + pending.seconds if pending.seconds
        @state = :pending
        say(pending.lines)
        pass_on_lines if session?
      end

      def poll
        say(@pending.news.call) if @pending.news
        lines = @pending.poll.call
        lines ||= @pending.late.call if @late_at && @now >= @late_at
        finish(lines) if lines
      rescue StandardError => error
        conclude(error)
      end

      def finish(lines)
        say(lines)
        end_with("ok")
      end

      # The message may quote bytes of any kind.
      def conclude(error)
        kind = " (#{error.class})" unless error.is_a?(Error)
        end_with("error: #{error.message.b.tr("\n", ' ')}#{kind}")
      end

      # The last line has room also where the others have none left.
      def end_with(line)
        @state = :done
        write_later(line)
      end

      # No line looks like the last one.
      def say(lines)
        lines.each { |line| append(line == "ok" || line.start_with?("error: ") ? " #{line}" : line) }
      end

      def append(line)
        raise Error, "the answer is too long" if @answer.bytesize + line.bytesize > MAX_ANSWER

        write_later(line)
      end

      def write_later(line)
        @deadline = @now + SECONDS if @answer.empty?
        @answer << line.b << "\n"
      end

      def write
        while !@answer.empty? && (written = @socket.write_nonblock(@answer, exception: false)).is_a?(Integer)
          @answer = @answer.byteslice(written..)
          @deadline = @now + SECONDS
        end
      end
    end
  end
end
