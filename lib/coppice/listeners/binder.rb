# frozen_string_literal: true

require "coppice/errors"
require "coppice/listeners/holders"
require "coppice/listeners/listener"
require "coppice/listeners/tcp_binder"
require "coppice/listeners/unix_binder"

module Coppice
  module Listeners
    # Turns an address into a Listener with bound sockets that do not listen yet. Tries again while the address is in
    # use, as its options `tries` and `delay` say. Runs in the monitor, before its loop begins: so it may sleep.
    class Binder
      # The logger gets a warning before each pause.
      #: (Address, ?logger: untyped) -> void
      def initialize(address, logger: nil)
        @address = address
        @options = address.options
        @logger = logger
      end

      # Raises AddressInUse or BindError.
      def bind #: () -> Listener
        tries = @options[:tries]
        begin
          Listener.bound(@address, configure(sockets))
        rescue Errno::EADDRINUSE
          tries -= 1
          raise AddressInUse, in_use if tries.zero? || @options[:tries].zero?

          pause
          retry
        end
      rescue SystemCallError => error
        raise BindError, "cannot listen on #{@address}: #{error.message.sub(/ for .*| - bind.*/m, '')}#{remedy(error)}"
      end

      private

      def sockets
        (@address.unix? ? UnixBinder : TcpBinder).new(@address).bind
      end

      def configure(sockets)
        sockets.each do |socket|
          socket.setsockopt(:SOCKET, :RCVBUF, @options[:rcvbuf]) if @options[:rcvbuf]
          socket.setsockopt(:SOCKET, :SNDBUF, @options[:sndbuf]) if @options[:sndbuf]
        end
      end

      def pause
        @logger&.warn("#{@address} is in use, trying again in #{@options[:delay]} s")
        sleep @options[:delay]
      end

      def in_use
        "cannot listen on #{@address}: it is in use by #{Holders.new(@address)}. " \
          "Stop that process, or choose another address with listen or -l"
      end

      def remedy(error)
        case error
        when Errno::EACCES then permission
        when Errno::ENOENT then ". Create the folder first"
        when Errno::EADDRNOTAVAIL then ". This machine has no such address"
        end
      end

      def permission
        @address.tcp? ? ". Ports below 1024 need the capability CAP_NET_BIND_SERVICE" : ". Let the server's user write there"
      end
    end
  end
end
