# frozen_string_literal: true

require "socket"
require "coppice/http"
require "coppice/os/clock"
require "coppice/os/descriptor_limit"
require "coppice/os/throttle"
require "coppice/threaded_server/client"
require "coppice/threaded_server/stop_pipe"

module Coppice
  class ThreadedServer
    # Receives clients that the lobby passes with what it has read of them, and hands them to the threads that serve, in
    # place of an Acceptor.
    class PassedClients
      LINGER_SECONDS = 0.05 # between two looks at clients that linger

      # Each client that stays has a descriptor. The soft limit is raised so far, where the hard one allows it, and no
      # further: children of this process get it as well, and some programs look at each number.
      MOST_DESCRIPTORS = 65_536
      SPARE_DESCRIPTORS = 64 # for files and connections of the application
      COMPLAINT_PAUSE = 10 # seconds between two lines of the log about clients that were refused

      #: (Socket, Thread::SizedQueue, Http::Lingering, Log) -> void
      def initialize(socket, clients, lingering, log)
        @socket = socket
        @clients = clients
        @lingering = lingering
        @log = log
        @stop_pipe = StopPipe.new
        @limit = OS::DescriptorLimit.raise_to(MOST_DESCRIPTORS)
        @complaints = OS::Throttle.new(COMPLAINT_PAUSE)
      end

      # Until it is stopped, or the server is gone. Ends the queue of clients.
      #: () -> void
      def call
        nil while turn
      rescue IOError, SystemCallError => error
        @log.error("no more clients are taken", error: error.message)
      ensure
        close
      end

      # On another thread. Idempotent.
      #: () -> void
      def stop = @stop_pipe.stop

      # Idempotent.
      #: () -> void
      def close
        @clients.close
        @stop_pipe.close
      end

      private

      # Returns whether there is more to come.
      def turn
        ready, = IO.select([@stop_pipe.reader, @socket], nil, nil, (LINGER_SECONDS if @lingering.count.positive?))
        @lingering.attend
        return true unless ready

        !ready.include?(@stop_pipe.reader) && receive
      end

      def receive
        copies = Http::Connection.copies
        packet, _, _, rights = @socket.recvmsg_nonblock(scm_rights: true, exception: false)
        return true if packet == :wait_readable # another process was faster: one that has not ended yet
        return false if packet.nil? || packet.empty?

        socket = rights&.unix_rights&.first # none where the kernel found no number for it
        socket ? take(client(socket, packet, copies)) : complain
        true
      end

      # The kernel gives the lowest number that is free.
      def take(client)
        return @clients.push(client) if client.socket.fileno < @limit - SPARE_DESCRIPTORS

        client.refuse
        complain
      end

      def complain
        return unless @complaints.claim(OS::Clock.now)

        @log.error("clients are refused: no descriptor is left for their sockets", limit: @limit,
                   remedy: "raise the limit of descriptors, also the hard one (ulimit -n, LimitNOFILE of systemd)")
      end

      def client(socket, packet, copies)
        line, bytes = packet.split("\n", 2)
        address, https, request_id = line.split
        Client.new(socket, address == "-" ? "" : address, copies, https == "1", bytes, request_id)
      end
    end
  end
end
