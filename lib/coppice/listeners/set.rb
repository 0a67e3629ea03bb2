# frozen_string_literal: true

require "coppice/listeners/activation"
require "coppice/listeners/address"
require "coppice/listeners/binder"
require "coppice/listeners/listener"

module Coppice
  module Listeners
    # All listeners of a server. The monitor binds them at start, opens them with `listen!` when the first worker is
    # ready, and sends each worker the descriptors of its slot.
    class Set
      include Enumerable

      # Sockets that systemd has passed on are taken before any is bound. Raises AddressInUse or BindError, with nothing
      # left open. patience: seconds for which workers of an ended server are waited for.
      #: (Array[Address], ?environment: Hash[String, String], ?patience: Numeric, ?logger: untyped) -> Set
      def self.bind(addresses, environment: ENV, patience: 0, logger: nil)
        activation = Activation.new(environment)
        listeners = []
        addresses.each { |address| listeners << (activation.take(address) || Binder.new(address, patience: patience, logger: logger).bind) }
        new(listeners)
      rescue BindError
        listeners.each(&:close)
        raise
      end

      # The opposite of to_wire, in a process that has inherited the descriptors.
      #: (Array[[Hash[Symbol, untyped], Array[Integer]]]) -> Set
      def self.from_wire(wire)
        new(wire.map { |address, descriptors| Listener.adopted(Address.from_wire(address), descriptors) })
      end

      #: (Array[Listener]) -> void
      def initialize(listeners)
        @listeners = listeners.freeze
      end

      #: () { (Listener) -> void } -> void
      def each(&block)
        @listeners.each(&block)
      end

      # Plain values only; the descriptors keep their numbers.
      def to_wire #: () -> Array[[Hash[Symbol, untyped], Array[Integer]]]
        map { |listener| [listener.address.to_wire, listener.descriptors] }
      end

      # The addresses as clients reach them, with real ports.
      def names #: () -> Array[String]
        map(&:name)
      end

      def descriptors #: () -> Array[Integer]
        flat_map(&:descriptors)
      end

      # The descriptors that worker `nr`, of so many, accepts from.
      #: (Integer, ?workers: Integer?) -> Array[Integer]
      def queues_for(nr, workers: nil)
        flat_map { |listener| listener.queues_for(nr, workers: workers) }
      end

      # From now on clients can connect. Raises AddressInUse.
      def listen! #: () -> void
        each do |listener|
          listener.listen!
        rescue Errno::EADDRINUSE
          raise AddressInUse, "cannot listen on #{listener.name}: another process has been faster"
        end
      end

      # Nobody new can connect from now on; who waits in a queue stays there for the processes that have it open.
      def drain #: () -> void
        each(&:drain)
      end

      # Does no harm when called again.
      def close #: () -> void
        each(&:close)
      end
    end
  end
end
