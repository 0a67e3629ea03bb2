# frozen_string_literal: true

require "coppice/control/call"
require "coppice/errors"
require "coppice/log/text"
require "coppice/os/clock"

module Coppice
  class GuestClient
    # How the guest has ended, as the monitor says it.
    class Status
      #: (Socket, ?seconds: Numeric) -> void
      def initialize(socket, seconds: Control::Call::ANSWER_SECONDS)
        @socket = socket
        @deadline = OS::Clock.now + seconds
        @rest = +""
        @begun = @refused = false
      end

      # How long to wait for the first line; nil once it has come. Raises GuestLost when it is late.
      #: () -> Float?
      def seconds_left
        return if @begun

        left = @deadline - OS::Clock.now
        left.positive? ? left : raise(GuestLost, "the server does not answer. It may still run the program")
      end

      # Takes in what has come. Raises Error when there is no guest, GuestLost when the monitor is gone.
      #: () -> void
      def read
        bytes = @socket.recv_nonblock(4096, exception: false)
        return if bytes == :wait_readable
        raise Errno::ECONNRESET if bytes.nil? || bytes.empty?

        @rest << bytes
        while (line = @rest.slice!(/\A.*\n/))
          take(line.chomp)
        end
      rescue Errno::ECONNRESET
        raise GuestLost, "the server has closed the connection: the guest gets HUP" unless known?
      end

      # Whether the server has agreed to run a guest.
      #: () -> bool
      def begun? = @begun

      #: () -> bool
      def known? = !@last.nil?

      # Whether the guest has exited by itself before its program began.
      #: () -> bool
      def refused? = @refused && @last.start_with?("exited ")

      # Returns the exit status, or dies by the guest's signal.
      #: () -> Integer
      def end_process
        word, value = @last.split
        return Integer(value, 10) if word == "exited"

        Signals.die_by(value)
      end

      private

      def take(line)
        case line
        when "ok" then nil
        when "not begun" then @refused = true
        when /\Aerror: / then raise Error, Log::Text.printable(line.delete_prefix("error: "))
        when /\A(exited|killed) \w+\z/ then @last = line
        else @begun = true
        end
      end
    end
  end
end
