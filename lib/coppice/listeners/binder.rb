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
      LISTEN = "listen or -l"

      # takeover_wait: maximum seconds to wait for draining workers. A warning is logged before each wait.
      # setting: what sets the address, for messages. own: the addresses that this server has already.
      #: (Address, ?takeover_wait: Numeric, ?logger: Log?, ?setting: String, ?own: Array[Address]) -> void
      def initialize(address, takeover_wait: 0, logger: nil, setting: LISTEN, own: [])
        @address = address
        @setting = setting
        @own = own
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
          refuse_overlap
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

      # No wait helps against an address of the same server. Its socket does not listen yet, so the kernel's tables of
      # owners do not name it.
      def refuse_overlap
        other = @own.find { |address| address.overlaps?(@address) } or return
        raise AddressInUse, "cannot listen on #{@address}: it overlaps with #{other}, on which this server listens " \
                            "as well. #{remedy_of_overlap(other)}"
      end

      def remedy_of_overlap(other)
        both = [@address, other].find { |address| address.host == "::" } if @setting == LISTEN && !same_family?(other)
        both ? "Add ipv6only: true to #{both}, or remove one of them" : "Choose another address with #{@setting}"
      end

      def same_family?(other) = @address.ipv6? == other.ipv6?

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
