# frozen_string_literal: true

require "io/console"
require "pty"

module Coppice
  class GuestClient
    # A terminal within the user's terminal: the guest has one end, and what is typed and shown goes through the other.
    # The user's own terminal is in raw mode meanwhile, and is given back however this ends.
    class Window
      CHUNK = 16 * 1024
      LOOK_SECONDS = 0.02 # until the next look whether the guest has taken its end
      BACKGROUND_LOOK_SECONDS = 0.25 # until the next look whether the job is in the foreground
      REST_SECONDS = 0.2 # a process that the guest has left behind may hold the terminal open

      # Ioctls and the parts of struct termios, as Linux has them on most processors. Source: ioctl_tty(2), termios(3).
      GET_MODES = 0x5401
      GET_FOREGROUND_GROUP = 0x540F
      GET_SESSION = 0x5429
      SIGNALS_ON = 1 # ISIG, in the fourth of the 32-bit flags
      SUSPEND_AT = 17 + 10 # VSUSP, behind the flags and the line discipline

      attr_reader :guests_end #: IO

      # Which streams are terminals is up to the user; the first is.
      #: (Array[IO]) -> void
      def initialize(streams)
        @input = streams.first
        @output = streams.drop(1).find(&:tty?) || File.open(File::Constants::NULL, "w")
        @ours, @guests_end = PTY.open
        @guests_end.console_mode = @input.console_mode
        @unsent = "".b
        resize
      end

      # What to wait for. What was typed and not taken yet comes first.
      #: () -> Array[IO]
      def readers = [(@ours unless @ended), (@input if @raw && @unsent.empty?)].compact

      #: () -> Array[IO]
      def writers = @unsent.empty? ? [] : [@ours]

      # Seconds until the next call of `advance` in any case; nil for none. No descriptor says that the guest has taken
      # its end, or that the user has brought the job into the foreground.
      #: () -> Float?
      def pause
        return if @raw

        foreground? ? LOOK_SECONDS : BACKGROUND_LOOK_SECONDS
      end

      # Passes on what can be passed on without waiting.
      #: (Array[IO], Signals) -> void
      def advance(ready, signals)
        resume unless @raw
        show if ready.include?(@ours)
        take_input(signals) if ready.include?(@input)
        send_input
      end

      # Raw mode, once the guest has taken its end and again after a stop. Before that Ctrl-C must reach this process:
      # there is nobody to get it at the other end, and the kernel would drop it. A job in the background only shows
      # what the guest writes: the terminal belongs to another job, and the kernel stops others that change its mode.
      #: () -> void
      def resume
        return unless @taken ||= taken?

        @guests_end.close unless @guests_end.closed? # or its end would never show
        return unless foreground?

        @mode ||= @input.console_mode
        @input.raw!
        @raw = true
        resize
      end

      # The size of the user's terminal. The kernel sends WINCH when that is another one.
      #: () -> void
      def resize
        @ours.winsize = @input.winsize
      rescue SystemCallError
        nil # it has none
      end

      # Gives the user's terminal back.
      #: () -> void
      def restore
        @input.console_mode = @mode if @raw && foreground?
        @raw = false
      rescue SystemCallError, IOError
        nil # it is gone
      end

      # Shows what the guest has written before its end.
      #: () -> void
      def show_rest
        @guests_end.close unless @guests_end.closed?
        nil while !@ended && IO.select([@ours], nil, nil, REST_SECONDS) && show
      end

      #: () -> void
      def close
        restore
        [@ours, @guests_end].reject(&:closed?).each(&:close)
      end

      private

      # Whether it is the terminal of a session. Where a sandbox does not tell, the guest's first output does.
      def taken?
        @ours.ioctl(GET_SESSION, "\0" * 64)
        true
      rescue SystemCallError
        false
      end

      # false at the end of the guest's side.
      def show
        bytes = @ours.read_nonblock(CHUNK, exception: false)
        return true if bytes == :wait_readable
        raise Errno::EIO unless bytes

        @taken = true
        @output.write(bytes)
        @output.flush
        true
      rescue Errno::EIO
        @ended = true
        false
      end

      # The end of the user's terminal is a hang-up.
      def take_input(signals)
        bytes = @input.read_nonblock(CHUNK, exception: false)
        return if bytes == :wait_readable
        return signals.add("HUP") unless bytes

        @guest_group ||= foreground_group(@ours)
        character = suspend_in(bytes)
        @unsent << (character ? bytes.sub(character, "") : bytes)
        signals.add(Signals::STOP) if character
      rescue Errno::EIO
        signals.add("HUP")
      end

      def send_input
        return if @unsent.empty?

        written = @ours.write_nonblock(@unsent, exception: false)
        @unsent = @unsent.byteslice(written..) if written.is_a?(Integer)
      rescue Errno::EIO
        @unsent.clear
      end

      # The character of Ctrl-Z, if it is in the bytes and means a stop: not for a program that reads single keys, and
      # not within a shell that the guest runs. The kernel would not stop the guest, because no process of its session
      # could continue it; so this process sees to both.
      def suspend_in(bytes)
        modes = "\0" * 64
        @ours.ioctl(GET_MODES, modes)
        character = modes[SUSPEND_AT]
        signals_on = modes.unpack("L4").last.anybits?(SIGNALS_ON)
        return unless signals_on && character != "\0" && bytes.include?(character)

        character if foreground_group(@ours) == @guest_group
      end

      # Whether the user's terminal belongs to this job. The terminal of another session has no jobs of this one.
      def foreground?
        foreground_group(@input) == Process.getpgrp
      rescue SystemCallError
        true
      end

      def foreground_group(terminal)
        group = "\0" * 4
        terminal.ioctl(GET_FOREGROUND_GROUP, group)
        group.unpack1("l")
      end
    end
  end
end
