# frozen_string_literal: true

module Coppice
  class Monitor
    # The listeners of the server, from the monitor's side: opened when the first worker is ready, handed to workers,
    # shut at the end. Owns their descriptors.
    class ServingPort
      #: (Listeners::Set, Log) -> void
      def initialize(listeners, log)
        @listeners = listeners
        @log = log
        @open = false
      end

      # The addresses as clients reach them.
      #: () -> Array[String]
      def names = @listeners.names

      # The sockets that this worker, of so many, accepts from.
      #: (Integer, workers: Integer) -> Array[IO]
      def listeners_for(nr, workers:)
        @listeners.queues_for(nr, workers: workers).map { |descriptor| IO.for_fd(descriptor, autoclose: false) }
      end

      # Whether clients can connect.
      #: () -> bool
      def open? = @open

      # From now on clients can connect. A health check never meets a server that boots: this waits for the first
      # worker.
      #: () -> void
      def open
        return if @open

        @open = true
        @listeners.listen!
        @log.info("listening", on: names.join(" "))
      end

      # From now on no client can connect. Workers hold the queues too, and serve the clients in them.
      #: () -> void
      def refuse_new_connections
        @open ? @listeners.drain : @listeners.close
      end

      # Whether somebody else, such as systemd, keeps listening on one of the sockets at least.
      #: () -> bool
      def any_borrowed? = @listeners.any?(&:borrowed?)

      # Whether the clients in every queue stay there for the server's successor.
      #: () -> bool
      def all_borrowed? = @listeners.all?(&:borrowed?)

      #: () -> void
      def close = @listeners.close
    end
  end
end
