# frozen_string_literal: true

require "coppice/errors"
require "coppice/listeners/address_owners"
require "coppice/listeners/listener"
require "coppice/listeners/tcp_binder"
require "coppice/listeners/unix_binder"
require "coppice/os/clock"

module Coppice
  module Listeners
    # Turns an address into a Listener with bound sockets that do not listen yet. While the address is in use, waits for
    # workers that an ended server has left there, then tries again as the address's options `tries` and `delay` say.
    # Runs in the monitor, before its loop begins: so it may sleep.
    class Binder
      LOOK = 0.05 # seconds between two looks at workers that leave

      # patience: seconds for which workers that leave are waited for. The logger gets a warning before each pause.
      #: (Address, ?patience: Numeric, ?logger: untyped) -> void
      def initialize(address, patience: 0, logger: nil)
        @address = address
        @options = address.options
        @patience = patience
        @logger = logger
        @tries = @options[:tries]
      end

      # Raises AddressInUse or BindError.
      def bind #: () -> Listener
        begin
          Listener.bound(@address, configure(sockets))
        rescue Errno::EADDRINUSE
          wait_for_leavers || try_again || raise(AddressInUse, in_use)
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

      # false when there are none, or no more patience with them.
      def wait_for_leavers
        holders = AddressOwners.new(@address)
        return false unless holders.leaving?

        @give_up_at ||= OS::Clock.now + @patience
        return false if OS::Clock.now >= @give_up_at

        name_leavers(holders.to_s)
        sleep LOOK
        true
      end

      def name_leavers(names)
        return if names == @named

        @logger&.warn("#{@address} is still served by #{names}, of a server that has ended: waiting up to #{@patience} s")
        @named = names
      end

      # false when it was tried often enough; a negative number of tries is never enough.
      def try_again
        @tries -= 1
        return false if @tries.zero? || @options[:tries].zero?

        @logger&.warn("#{@address} is in use, trying again in #{@options[:delay]} s")
        sleep @options[:delay]
        true
      end

      def in_use
        "cannot listen on #{@address}: it is in use by #{AddressOwners.new(@address)}. " \
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
