# frozen_string_literal: true

require "socket"
require "coppice/http"
require "coppice/os/clock"
require "coppice/threaded_server/arrival"
require "coppice/threaded_server/client"

module Coppice
  class ThreadedServer
    # Accepts clients, and hands them to the threads that serve once the head of a request is there: browsers connect
    # ahead of requests, others send slowly, and would occupy all threads with connections on which nothing comes. Runs
    # on a thread of its own, and attends to the clients that linger.
    class Acceptor
      # How many clients may wait for a thread, and how many connections without a whole head stay open: beyond, the
      # time of the oldest is over.
      CLIENTS = 64

      # Seconds between two looks at clients that linger.
      LINGER_SECONDS = 0.05

      # Seconds until the next try when accept(2) has failed, most likely for a lack of descriptors.
      PAUSE = 0.5

      # patience: how many seconds a client may take for the head, which may have head_bytes.
      #: (Array[Socket], Thread::SizedQueue, Http::Lingering, Log, patience: Numeric, head_bytes: Integer) -> void
      def initialize(listeners, clients, lingering, log, patience:, head_bytes:)
        @listeners = listeners
        @clients = clients
        @lingering = lingering
        @log = log
        @patience = patience
        @head_bytes = head_bytes
        @arrivals = {}.compare_by_identity # by their sockets, oldest first
        @stopped, @stop = IO.pipe
      end

      # Until it is stopped. Ends the queue of clients.
      #: () -> void
      def call
        nil until turn == :stopped
        accept_clients(@listeners)
        hand_over(ready_of(@arrivals.keys, 0) | @arrivals.keys.select { |socket| @arrivals[socket].begun? })
      rescue IOError, SystemCallError => error # the caller has closed a listener before `stop`
        @log.error("no more clients are accepted", error: error.message)
      ensure
        close
      end

      # On another thread. Idempotent. A process that the application has forked may have this end of the pipe as well:
      # a close alone would tell nothing.
      #: () -> void
      def stop
        @stop.write(".") unless @stop.closed?
      rescue Errno::EPIPE # the other thread has ended
        nil
      ensure
        @stop.close
      end

      # Closes what it has, also in the place of its thread, when that was killed before it could. Idempotent.
      #: () -> void
      def close
        @arrivals.each_value { |arrival| arrival.client.close }
        @clients.close
        @stopped.close
      end

      private

      def turn
        ready = ready_of([@stopped, *@listeners, *@arrivals.keys], seconds_to_wait)
        return :stopped if ready.include?(@stopped)

        @lingering.attend
        accept_clients(ready & @listeners)
        hand_over((ready - @listeners).select { |socket| @arrivals[socket].complete? })
        end_oldest while @arrivals.size > CLIENTS || over?
      end

      def ready_of(ios, seconds) = IO.select(ios, nil, nil, seconds)&.first || []

      def seconds_to_wait
        return LINGER_SECONDS if @lingering.count.positive?

        limit = @arrivals.each_value.first&.limit
        [limit - OS::Clock.now, 0].max if limit
      end

      def accept_clients(listeners)
        listeners.each { |listener| CLIENTS.times { break unless accept(listener) } }
      rescue SystemCallError => error
        @log.error("cannot accept", error: error.message, again_in: PAUSE)
        @stopped.wait_readable(PAUSE)
      end

      # Returns whether there was a client.
      def accept(listener)
        copies = Http::Connection.copies
        socket, = listener.accept_nonblock(exception: false)
        return false if socket == :wait_readable

        @arrivals[socket] = Arrival.new(Client.of(socket, copies), limit: OS::Clock.now + @patience, most: @head_bytes)
        true
      rescue Errno::ENOTCONN, Errno::EINVAL # it has left already
        socket&.close
        true
      end

      # Waits while too many clients wait already.
      def hand_over(sockets)
        sockets.each { |socket| @clients.push(@arrivals.delete(socket).handed_over) }
      end

      def over? = @arrivals.any? && @arrivals.each_value.first.limit <= OS::Clock.now

      # Where nothing has come, there is nothing to answer.
      def end_oldest
        socket, arrival = @arrivals.first
        arrival.client.late = true
        return hand_over([socket]) if arrival.begun?

        @arrivals.delete(socket)
        arrival.client.close
      end
    end
  end
end
