# frozen_string_literal: true

require "coppice/errors"
require "coppice/guest_client/signals"
require "coppice/guest_client/status"

module Coppice
  # The client of a guest. It passes its own standard streams on and waits; where one is a terminal, it makes another
  # terminal for the guest and passes on what is typed and shown. It ends as the guest does.
  class GuestClient
    # The request's own `terminal` is set here.
    #: (Control::Client, Control::GuestRequest) -> void
    def initialize(client, request)
      @client = client
      @request = request
    end

    # Returns how the guest has ended. Raises Error when there is none, GuestLost when that is not known.
    #: () -> Status
    def run
      window = open_window
      @request.terminal = !window.nil?
      @client.converse("run") do |call, socket|
        Signals.open do |signals| # first: as soon as the server knows of the guest, a signal is for that
          @signals = signals
          ask(call, window)
          relay(window, socket, signals)
        end
      end
    ensure
      window&.close
    end

    # The first signal that has come to end the program: nobody wants it any more.
    #: () -> String?
    def ending_signal = @signals&.ending

    private

    # Only where standard input is a terminal: a program that reads none needs no other one.
    def open_window
      return unless $stdin.tty?

      require "coppice/guest_client/window"
      Window.new([$stdin, $stdout, $stderr])
    end

    def ask(call, window)
      file = @request.to_file
      streams = [$stdin, $stdout, $stderr].map { |stream| window && stream.tty? ? window.guests_end : stream }
      call.say("run", descriptors: [*streams, file])
    ensure
      file&.close
    end

    def relay(window, socket, signals)
      status = Status.new(socket)
      until status.known?
        readers = [socket, signals.reader, *window&.readers]
        seconds = [status.seconds_left, window&.pause].compact.min
        ready = IO.select(readers, window&.writers, nil, seconds)&.first || [] # nil: nothing in this time
        status.read if ready.include?(socket)
        window&.advance(ready, signals) if status.begun?
        signals.each { |name| obey(name, window, socket) }
      end
      window&.show_rest
      status
    ensure
      window&.restore
    end

    # A stop goes to the guest, then to this process, as a terminal would have sent it to both. Continued in the
    # background, both go on.
    def obey(name, window, socket)
      return window&.resize if name == "WINCH"
      return tell(socket, name) unless name == "TSTP"

      tell(socket, "STOP")
      window&.restore
      Signals.stop_process
      tell(socket, "CONT")
      window&.resume
      tell(socket, "WINCH") if window # programs with a line editor write their line anew
    end

    def tell(socket, name)
      socket.write("signal #{name}\n")
    rescue Errno::EPIPE, Errno::ECONNRESET
      nil # the next look at the socket finds its end
    end
  end
end
