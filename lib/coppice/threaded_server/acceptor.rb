# frozen_string_literal: true

require "socket"
require "coppice/http"
require "coppice/os/clock"
require "coppice/threaded_server/client"
require "coppice/threaded_server/stop_pipe"

module Coppice
  class ThreadedServer
    # Accepts clients, and hands them to the threads that serve once they have sent a head: browsers connect ahead of
    # requests, and would occupy all threads with connections on which nothing comes, as would clients that send a byte
    # and no more. Runs on a thread of its own, and attends to the clients that linger.
    class Acceptor
      # How many clients may wait for a thread, and how many connections without a whole head stay open. When there are
      # more, the oldest is closed.
      CLIENTS = 64

      # Seconds between two looks at clients that linger.
      LINGER_SECONDS = 0.05

      # Seconds between two looks at heads that have begun: one that comes in two packets waits so much longer.
      BEGUN_SECONDS = 0.005

      # So many bytes are looked at for the end of a head. Longer ones, and what is none, are for the thread.
      HEAD_BYTES = 16 * 1024
      BEGUN = /\A[A-Za-z\r\n]/n.freeze
      ENDED = /[^\r\n]\r*\n\r?\n/n.freeze # a blank line in front of it ends no head

      # Seconds until the next try when accept(2) has failed, most likely for a lack of descriptors.
      PAUSE = 0.5

      # https: those of the listeners whose clients use TLS to the proxy. silence: how many seconds a client may stay
      # connected without sending a head.
      #: (Array[Socket], Thread::SizedQueue, Http::Lingering, Log, https: Array[Socket], silence: Numeric) -> void
      def initialize(listeners, clients, lingering, log, https:, silence:)
        @listeners = listeners
        @https = https
        @clients = clients
        @lingering = lingering
        @log = log
        @silence = silence
        @silent = {}.compare_by_identity # socket => [Client, when its time is over], oldest first
        @begun = [] # those of them that have sent a part of a head
        @stop_pipe = StopPipe.new
      end

      # Until it is stopped. Ends the queue of clients.
      #: () -> void
      def call
        nil until turn == :stopped
        accept_clients(@listeners)
        hand_over(ready_of(@silent.keys, 0))
      rescue IOError, SystemCallError => error # the caller has closed a listener before `stop`
        @log.error("no more clients are accepted", error: error.message)
      ensure
        close
      end

      # On another thread. Idempotent.
      #: () -> void
      def stop = @stop_pipe.stop

      # Closes what it has, also in the place of its thread, when that was killed before it could. Idempotent.
      #: () -> void
      def close
        @silent.each_value { |client, _| client.close }
        @clients.close
        @stop_pipe.close
      end

      private

      def turn
        begun = @begun
        ready = ready_of([@stop_pipe.reader, *@listeners, *(@silent.keys - begun)], seconds_to_wait)
        return :stopped if ready.include?(@stop_pipe.reader)

        @lingering.attend
        accept_clients(ready & @listeners)
        @begun, complete = (begun + (ready - @listeners)).partition { |socket| arrived(socket) == :part }
        hand_over(complete)
        close_silent
      end

      # What has come: :nothing, :part of a head, or :enough for a thread. A socket with a part is readable already.
      def arrived(socket)
        bytes = socket.recv_nonblock(HEAD_BYTES, Socket::MSG_PEEK, exception: false)
        return :nothing if bytes == :wait_readable

        part?(bytes) ? :part : :enough
      rescue SystemCallError # the thread finds out
        :enough
      end

      def part?(bytes)
        bytes.is_a?(String) && bytes.size < HEAD_BYTES && bytes.match?(BEGUN) && !bytes.match?(ENDED)
      end

      def ready_of(ios, seconds) = IO.select(ios, nil, nil, seconds)&.first || []

      def seconds_to_wait
        return BEGUN_SECONDS if @begun.any?
        return LINGER_SECONDS if @lingering.count.positive?

        _, limit = @silent.each_value.first
        [limit - OS::Clock.now, 0].max if limit
      end

      def accept_clients(listeners)
        listeners.each { |listener| CLIENTS.times { break unless accept(listener) } }
      rescue SystemCallError => error
        @log.error("cannot accept", error: error.message, again_in: PAUSE)
        @stop_pipe.reader.wait_readable(PAUSE)
      end

      # Returns whether there was a client.
      def accept(listener)
        copies = Http::Connection.copies
        socket, = listener.accept_nonblock(exception: false)
        return false if socket == :wait_readable

        @silent[socket] = [Client.of(socket, copies, https: @https.include?(listener)), OS::Clock.now + @silence]
        true
      rescue Errno::ENOTCONN, Errno::EINVAL # it has left already
        socket&.close
        true
      end

      # Waits while too many clients wait already.
      def hand_over(sockets)
        sockets.each { |socket| @clients.push(release(socket)) }
      end

      # Returns the client, which is somebody else's from now on.
      def release(socket)
        @begun.delete(socket)
        @silent.delete(socket).first
      end

      def close_silent
        now = OS::Clock.now
        close_oldest while @silent.size > CLIENTS || (@silent.any? && @silent.each_value.first.last <= now)
      end

      # A connection on which nothing came gets no answer. A whole head may have come since the last look, or, of many
      # clients that were accepted at once, before the first one.
      def close_oldest
        socket = @silent.each_key.first
        what = arrived(socket)
        return hand_over([socket]) if what == :enough

        client = release(socket)
        client.refuse_late_head(HEAD_BYTES) if what == :part
        client.close
      end
    end
  end
end
