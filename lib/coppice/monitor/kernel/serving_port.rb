# frozen_string_literal: true

module Coppice
  class Monitor
    # The listeners of the server, from the monitor's side: opened when the first worker is ready, handed to workers,
    # shut at the end. Owns their descriptors.
    class ServingPort
      # lobby: whether there is a lobby for the listeners that want one.
      #: (Listeners::Set, Log, ?lobby: bool) -> void
      def initialize(listeners, log, lobby: false)
        @listeners = listeners
        with_lobby, direct = listeners.partition { |listener| lobby && listener.address.lobby? }
        @with_lobby = with_lobby.freeze
        @direct = Listeners::Set.new(direct)
        @log = log
        @open = false
      end

      # The addresses as clients reach them.
      #: () -> Array[String]
      def names = @listeners.names

      # Of the listeners, for the board.
      #: () -> String
      def description = @listeners.description

      # Number of connections that wait to be accepted; nil when the kernel does not tell.
      #: () -> Integer?
      def requests_waiting = @open ? @listeners.waiting : 0

      # Listeners whose clients are met by the lobby.
      attr_reader :with_lobby #: Array[Listeners::Listener]

      # The sockets that this worker, of so many, accepts from.
      #: (Integer, workers: Integer) -> Array[IO]
      def listeners_for(nr, workers:)
        @direct.queues_for(nr, workers: workers).map { |descriptor| IO.for_fd(descriptor, autoclose: false) }
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
        @log.info("listening", on: @listeners.names_with_options.join(" "))
      end

      # From now on no client can connect. Workers and the lobby hold the queues too, and serve the clients in them.
      #: () -> void
      def refuse_new_connections
        @open ? @listeners.refuse_new_connections : @listeners.close
      end

      # Number of clients that have begun to connect, and can be accepted soon; also after new ones are refused.
      #: () -> Integer
      def connecting = @open ? @listeners.connecting : 0

      # Of the workers' sockets, by inode: the options of each one's Worker::ListenerSource.
      #: () -> Hash[Integer, Hash[Symbol, bool]]
      def listener_options
        @direct.flat_map { |listener|
          options = { borrowed: listener.borrowed?, https: listener.address.https? }
          listener.inodes.map { |inode| [inode, options] }
        }.to_h
      end

      # Whether the clients that wait for a worker stay in queues for the server's successor.
      #: () -> bool
      def all_borrowed? = @with_lobby.empty? && @direct.all?(&:borrowed?)

      #: () -> void
      def close = @listeners.close
    end
  end
end
