# frozen_string_literal: true

require "socket"
require "coppice/control/endpoint"
require "coppice/listeners/address"
require "coppice/listeners/binder"
require "coppice/monitor/door/control_connection"
require "coppice/os/clock"
require "coppice/os/proc_folder"

module Coppice
  class Monitor
    # The door to a running server: the monitor listens on a Unix socket with an abstract name, and on the one of the
    # option `control_socket`, from its start to its end. One request a connection: a line of words; the answer is
    # lines, the last one `ok` or `error: …`. Owns these sockets and the connections. No child inherits them.
    class ControlServer
      MAX_CONNECTIONS = 16 # at once; the others wait in the queue
      BACKLOG = 64
      PAUSE = 1.0 # seconds until the next try when there is no descriptor left for a client

      # Binds the sockets. Raises BindError or AddressInUse for the path. A name that is taken only costs the commands.
      #: (Config::Settings, Log) -> ControlServer
      def self.bind(settings, log)
        listener = bind_path(settings.control_socket) if settings.control_socket
        new([bind_name(log), *listener&.sockets].compact, listener, log)
      end

      def self.bind_path(path)
        address = Listeners::Address.parse(path, umask: 0o177)
        Listeners::Binder.new(address, setting: "control_socket").bind.tap(&:listen!)
      end

      # Without /proc it has no name, and that is said (CLI::Warnings).
      def self.bind_name(log)
        return unless OS::ProcFolder.exist?

        address = Control::Endpoint.of(Process.pid)
        socket = Socket.new(:UNIX, :STREAM)
        socket.bind(address)
        socket.listen(BACKLOG)
        socket
      rescue Error, SystemCallError => error
        socket&.close
        log.warn("commands such as `coppice status` cannot reach this server", why: error.message)
        nil
      end

      private_class_method :bind_path, :bind_name

      #: (Array[Socket], Listeners::Listener?, Log) -> void
      def initialize(sockets, listener, log)
        @sockets = sockets
        @listener = listener
        @log = log
        @connections = []
        @refused = [] # uids
        @accept_not_before = 0.0
      end

      # What obeys the clients' words.
      attr_writer :commands #: ControlCommands

      # What the monitor's loop waits for.
      #: () -> Array[IO]
      def readers = @connections.flat_map(&:readers) + (accepting? ? @sockets : [])

      #: () -> Array[IO]
      def writers = @connections.flat_map(&:writers)

      # Takes in new clients.
      #: () -> void
      def accept
        @sockets.each { |socket| accept_from(socket) } if accepting?
      end

      # Does for each client what can be done without waiting.
      #: () -> void
      def advance
        now = OS::Clock.now
        @connections.each { |connection| advance_one(connection, now) }
        @connections.reject!(&:closed?)
      end

      # Clients that are still there have got all that could be written.
      #: () -> void
      def close
        @connections.each(&:close)
        @listener&.close
        @sockets.reject(&:closed?).each(&:close)
      end

      private

      # A mistake in the handling of one client must end neither the monitor nor the others.
      def advance_one(connection, now)
        connection.advance(now)
      rescue StandardError => error
        @log.exception("a client of the control socket is dropped", error)
        connection.close
      end

      # Sessions stay for long, and have a limit of their own.
      def accepting?
        others = @connections.count { |connection| !connection.session? }
        others < MAX_CONNECTIONS && OS::Clock.now >= @accept_not_before
      end

      # As many as there may be at once, or strangers could keep the monitor's loop here.
      def accept_from(socket)
        MAX_CONNECTIONS.times do
          break unless accepting?

          client, = socket.accept_nonblock(exception: false)
          break if client == :wait_readable

          greet(client)
        end
      rescue SystemCallError => error # no descriptor is left, or the client is gone already
        @accept_not_before = OS::Clock.now + PAUSE
        @log.warn("could not accept a client of the control socket", error: error.message)
      end

      def greet(client)
        peer = Control::Endpoint.peer(client)
        return @connections << ControlConnection.new(client, @commands, OS::Clock.now, peer: peer) if peer.allowed?

        client.close
        return if @refused.include?(peer.uid) # one line is enough: they could flood the log

        @refused << peer.uid
        @log.warn("refused another user at the control socket", uid: peer.uid, peer_pid: peer.pid)
      end
    end
  end
end
