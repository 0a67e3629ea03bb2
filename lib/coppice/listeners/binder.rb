# frozen_string_literal: true

require "coppice/errors"
require "coppice/listeners/address_owners"
require "coppice/listeners/listener"
require "coppice/listeners/tcp_binder"
require "coppice/listeners/unix_binder"
require "coppice/os/clock"

module Coppice
  module Listeners
    # Turns an address into a Listener with bound sockets that do not listen yet. While the address is in use, waits
    # for the last workers of an exited server, then tries again as the address's options `tries` and `delay` say. Runs
    # before the monitor's loop starts, so it may sleep.
    class Binder
      POLL_INTERVAL = 0.05 # seconds between two checks for draining workers

      # takeover_wait: maximum seconds to wait for draining workers. A warning is logged before each wait.
      # setting: what sets the address, for messages.
      #: (Address, ?takeover_wait: Numeric, ?logger: Log?, ?setting: String) -> void
      def initialize(address, takeover_wait: 0, logger: nil, setting: "listen or -l")
        @address = address
        @setting = setting
        @options = address.options
        @takeover_wait = takeover_wait
        @logger = logger
        @tries = @options[:tries]
      end

      # Raises AddressInUse or BindError.
      def bind #: () -> Listener
        begin
          Listener.bound(@address, configure(sockets))
        rescue Errno::EADDRINUSE
          wait_for_draining_workers || try_again || raise(AddressInUse, in_use)
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

      # Returns false when there are none, or the time is over.
      def wait_for_draining_workers
        owners = AddressOwners.new(@address)
        return false unless owners.draining_workers?

        @deadline ||= OS::Clock.now + @takeover_wait
        return false if OS::Clock.now >= @deadline

        log_draining_workers(owners.to_s)
        Kernel.sleep POLL_INTERVAL
        true
      end

      def log_draining_workers(names)
        return if names == @logged

        @logger&.warn("#{@address} is still served by #{names}, of a server that has exited: " \
                      "waiting up to #{@takeover_wait} s")
        @logged = names
      end

      # Returns false after the last try; a negative number of tries means no limit.
      def try_again
        @tries -= 1
        return false if @tries.zero? || @options[:tries].zero?

        @logger&.warn("#{@address} is in use, trying again in #{@options[:delay]} s")
        Kernel.sleep @options[:delay]
        true
      end

      def in_use
        "cannot listen on #{@address}: it is in use by #{AddressOwners.new(@address)}. " \
          "Stop that process, or choose another address with #{@setting}"
      end

      def remedy(error)
        case error
        when Errno::EACCES then permission
        when Errno::ENOENT then ". Create the folder first"
        when Errno::EADDRNOTAVAIL then ". This machine has no such address"
        end
      end

      def permission
        return ". Allow the server's user to write there" unless @address.tcp?

        ". Ports below 1024 need the capability CAP_NET_BIND_SERVICE"
      end
    end
  end
end
