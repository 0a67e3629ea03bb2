# frozen_string_literal: true

require "socket"
require "coppice/listeners/listener"

module Coppice
  module Listeners
    # Sockets that systemd has opened for the server (socket activation). A socket that matches no configured address
    # is not used, but the name of an option makes its address a configured one (Config::Environment). For systemd, a
    # port alone means all IPv6 and IPv4 addresses; for Coppice, all IPv4 addresses: a systemd socket of the former kind
    # is used for an address of the latter.
    class Activation
      FIRST_DESCRIPTOR = 3

      #: (?Hash[String, String]) -> void
      def initialize(environment = ENV)
        count = environment["LISTEN_PID"].to_i == Process.pid ? environment["LISTEN_FDS"].to_i : 0
        descriptors = Array.new(count) { |index| FIRST_DESCRIPTOR + index }
        @sockets = descriptors.zip(environment["LISTEN_FDNAMES"].to_s.split(":")).to_h # descriptor => name, or nil
      end

      # The addresses of the sockets with this name, as Address.parse reads them. Of those that a socket can stand for,
      # one that is known is preferred: it has options.
      #: (String, ?known: Array[String]) -> Array[String]
      def addresses_named(name, known: [])
        @sockets.select { |_, given| given == name }.keys.filter_map do |descriptor|
          possible = addresses(descriptor)
          possible.find { |address| known.include?(address) } || possible.first
        end
      end

      # A listener with all passed sockets of this address, or nil.
      #: (Address) -> Listener?
      def take(address)
        matching = @sockets.keys.select { |descriptor| addresses(descriptor).include?(address.to_s) }
        return if matching.empty?

        @sockets = @sockets.except(*matching)
        Listener.adopted(address, matching)
      end

      # Logs the listening sockets that none of the server's listeners has taken: their clients connect, and wait for an
      # answer in vain. They stay open, as a configuration file may have taken one for a purpose of its own, but no
      # program that is started gets them.
      #: (Enumerable[Listener], Log) -> void
      def warn_of_unused(listeners, log)
        used = listeners.flat_map(&:descriptors)
        @sockets.each do |descriptor, name|
          next if used.include?(descriptor) || !listening?(descriptor)

          borrowed(descriptor).close_on_exec = true
          next if name == "admin_listen" # one process has none, and says so

          log.warn("socket from systemd is not used", address: addresses(descriptor).first, name: name || "unknown",
            remedy: "FileDescriptorName=listen or admin_listen in its unit, or its address there")
        end
      end

      private

      # The addresses that the socket can stand for, as Address#to_s writes them.
      def addresses(descriptor)
        socket = borrowed(descriptor)
        local = socket.local_address
        return [local.unix_path] if local.unix?

        both_families?(socket, local) ? [local.inspect_sockaddr, "0.0.0.0:#{local.ip_port}"] : [local.inspect_sockaddr]
      rescue SystemCallError # not a socket
        []
      end

      def listening?(descriptor)
        borrowed(descriptor).getsockopt(:SOCKET, :ACCEPTCONN).bool
      rescue SystemCallError # not a socket
        false
      end

      # It stays open when Ruby frees the object.
      def borrowed(descriptor) = Socket.for_fd(descriptor).tap { |socket| socket.autoclose = false }

      def both_families?(socket, local)
        local.ipv6_unspecified? && !socket.getsockopt(:IPV6, :V6ONLY).bool
      end
    end
  end
end
