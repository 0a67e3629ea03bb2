# frozen_string_literal: true

require "coppice/listeners/activation"
require "coppice/listeners/address"
require "coppice/listeners/binder"
require "coppice/listeners/listener"
require "coppice/listeners/socket_queues"

module Coppice
  module Listeners
    # All listeners of a server. The monitor binds them at start, opens them with `listen!` when the first worker is
    # ready, and sends each worker the descriptors of its slot.
    class Set
      include Enumerable #[Listener]

      # Uses the sockets that systemd has passed, and binds the other addresses. Raises AddressInUse or BindError, with
      # nothing left open. takeover_wait: maximum seconds to wait for the last workers of a server that has exited.
      # beside: the server's other listeners. binding: more for the Binder.
      #: (Array[Address], ?environment: Hash[String, String], ?beside: Set | Array[Listener], **untyped) -> Set
      def self.bind(addresses, environment: ENV, beside: [], **binding)
        activation = Activation.new(environment)
        listeners = []
        addresses.each do |address|
          own = [*beside, *listeners].map(&:address)
          listeners << (activation.take(address) || Binder.new(address, own: own, **binding).bind)
        end
        new(listeners)
      rescue BindError
        listeners.each(&:close)
        raise
      end

      #: (Array[Listener]) -> void
      def initialize(listeners)
        @listeners = listeners.freeze
      end

      #: () { (Listener) -> void } -> void
      def each(&block)
        @listeners.each(&block)
      end

      # The addresses as clients reach them, with real ports.
      def names #: () -> Array[String]
        map(&:name)
      end

      # The same for people, with the options that are not the default.
      def names_with_options #: () -> Array[String]
        map { |listener| listener.address.text_with_options }
      end

      # A line for each listener: backlog, the inodes of its sockets with commas, name.
      def description #: () -> String
        map { |listener| "#{listener.backlog} #{listener.inodes.join(',')} #{listener.name}\n" }.join
      end

      # Number of connections that wait to be accepted; nil when the kernel does not tell. A few system calls.
      def waiting #: () -> Integer?
        queues = SocketQueues.asked_for(flat_map(&:inodes))
        queues.values.sum(&:waiting) unless queues.empty?
      end

      # Number of clients that have begun to connect, and cannot be accepted yet; also once new ones are refused.
      # 0 when the kernel does not tell. Leaves out borrowed listeners: their clients stay for their owner.
      def connecting #: () -> Integer
        ports = reject(&:borrowed?).map(&:address).select(&:tcp?).map(&:port)
        ports.sum { |port| OS.handshakes(port).to_i }
      end

      def descriptors #: () -> Array[Integer]
        flat_map(&:descriptors)
      end

      # The descriptors that worker `nr` accepts from, given the number of workers.
      #: (Integer, workers: Integer) -> Array[Integer]
      def queues_for(nr, workers:)
        flat_map { |listener| listener.queues_for(nr, workers: workers) }
      end

      # Starts to accept connections. Raises AddressInUse.
      def listen! #: () -> void
        each do |listener|
          listener.listen!
        rescue Errno::EADDRINUSE
          raise AddressInUse, "cannot listen on #{listener.name}: another process has started to listen there"
        end
      end

      # Stops accepting new connections; those in the queues stay for the processes that have the sockets open.
      def refuse_new_connections #: () -> void
        each(&:refuse_new_connections)
      end

      # Idempotent.
      def close #: () -> void
        each(&:close)
      end
    end
  end
end
