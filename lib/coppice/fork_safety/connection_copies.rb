# frozen_string_literal: true

require "coppice/fork_safety/open_descriptors"
require "coppice/fork_safety/weak_set"

module Coppice
  module ForkSafety
    # Connections that a fork has copied, of a library that does not notice the fork itself. A copy is detached: it no
    # longer refers to the socket that it shares with its parent, so that using it or dropping it cannot harm the
    # parent. Connections that another library takes care of, such as Active Record, are left alone: they are closed or
    # detached before a hook runs.
    #
    # Only molds look for the connections, by a walk over the heap. Workers inherit the list.
    class ConnectionCopies
      # Points the copy of a socket at /dev/null. The parent's stays as it is, and its peer notices nothing.
      #: (IO) -> void
      def self.detach_socket(io) = OpenDescriptors.redirect_to_null(io)

      # class_name: of the connections. open: whether one has a socket. detach: what takes the socket from it.
      # reconnect: what opens a new one in a worker; nil when the library cannot do that. closed: whether the
      # application has closed one, which is then not opened again. A lost one is: its database may have been down.
      #: (String, open: ^(untyped) -> boolish, detach: ^(untyped) -> untyped, ?reconnect: (^(untyped) -> untyped)?,
      #   ?closed: ^(untyped) -> boolish) -> void
      def initialize(class_name, open:, detach:, reconnect: nil, closed: ->(_connection) { false })
        @class_name = class_name
        @open = open
        @detach = detach
        @reconnect = reconnect
        @closed = closed
        @copies = WeakSet.new
        @detached = WeakSet.new # here, not in a parent
      end

      # The calls of a preset.
      #: () -> Hash[Symbol, ^() -> void]
      def calls = { loaded: method(:note), after_in_mold: method(:detach_all), after_in_worker: method(:renew) }

      private

      # In a cold mold: its connections are its own, but each worker gets a copy.
      def note
        open_connections.each { |connection| @copies.add(connection) }
      end

      def detach_all
        each_of(open_connections) { |connection| detach(connection) }
      end

      def open_connections
        ObjectSpace.each_object(Object.const_get(@class_name)).select { |connection| open?(connection) }
      end

      def open?(connection)
        @open.call(connection)
      rescue StandardError # the library's: a connection that was lost has no socket
        false
      end

      def renew
        each_of(@copies.to_a) do |connection|
          detach(connection) if open?(connection)
          @reconnect&.call(connection) if @detached.include?(connection) && !@closed.call(connection)
        end
      end

      def detach(connection)
        @detach.call(connection)
        @copies.add(connection)
        @detached.add(connection)
      end

      # An error with one connection must not keep the others from being detached. The first one is raised at the end.
      def each_of(connections)
        errors = connections.filter_map do |connection|
          yield connection
          nil
        rescue StandardError => error # the library's
          error
        end
        raise errors.first unless errors.empty?
      end
    end
  end
end
