# frozen_string_literal: true

require "coppice/board/columns"
require "coppice/http"
require "coppice/os/clock"

module Coppice
  class Worker
    # The loop of a worker that is ready: takes the next client from a source and serves it, obeys the monitor between
    # two clients, and shows on the board that the worker is alive. Owns the sources, and the connections that linger.
    class ClientLoop
      # How many clients of one source are served in a row, and for how long, before the worker looks for other clients
      # and for messages.
      ROW_OF_CLIENTS = 16
      ROW_MS = 10
      BEAT_MS = Board::HEARTBEAT_SECONDS * 1000

      # How long a client that has its answer, and may still be sending, can pause before its connection is closed; and
      # how long a worker that exits waits for all of them.
      LINGER_MS = 2000

      #: (Worker, Array[ListenerSource], exchange: Http::Exchange, connection: Http::Connection,
      #    cycle: RequestCycle) -> void
      def initialize(worker, sources, exchange:, connection:, cycle:)
        @worker = worker
        @life = worker.life
        @row = worker.membership.row
        @sources = sources
        @exchange = exchange
        @connection = connection
        @lingering = connection.lingering = Http::Lingering.new(LINGER_MS)
        @cycle = cycle
        @fair = @life.settings.accept_order == :fair
        @waiter = @life.waiter
        @waiter.add(@lingering.fileno, :lingering)
        sources.each { |source| source.enter(@waiter) }
      end

      #: () -> void
      def serve_until_stopped
        turn until @worker.stopping?
      end

      #: () -> void
      def refuse_new_connections = @sources.each(&:refuse_new_connections)

      # Serves the clients that have connected, then stops the worker. The time is limited in case new clients come all
      # the same: the kernel always lets one in.
      #: () -> void
      def drain
        limit = OS::Clock.now + @life.settings.timeout
        nil while OS::Clock.now < limit && !@worker.stopping? && @sources.any? { |source| serve(source) }
        @sources.each(&:close)
        @worker.stop
      end

      # Before the process exits: a client that is still sending would lose its answer to a reset. The deadline moves,
      # so that the monitor does not take this for an exit that hangs.
      #: () -> void
      def let_finish
        @cycle.deadline.postpone(LINGER_MS)
        @lingering.finish(LINGER_MS)
      end

      # In a process forked from this one: closes the copies of the descriptors.
      #: () -> void
      def close
        @lingering.close
        @sources.each(&:close)
      end

      private

      # One turn: clients, or a message from the monitor, never both; with neither, only a sign of life.
      def turn
        @row.seen_ms = OS::Clock.now_ms
        @lingering.attend
        ready = @waiter.look
        return answer(ready) { serve_row(ready) } if ready

        @cycle.idle
        @waiter.go_last if @fair
        ready = @waiter.wait(BEAT_MS) unless @worker.stopping? # a signal may have come since the last question
        answer(ready) { serve(ready) } if ready # in any case: no other worker was woken for this client
      end

      # Yields for a source of clients. The clients that linger are attended to in each turn anyway.
      def answer(ready)
        case ready
        when :channel then @life.obey
        when :lingering then nil
        else yield
        end
      end

      # A source that had a client most likely has more: no need to wait for it.
      def serve_row(source)
        until_ms = OS::Clock.now_ms + ROW_MS
        ROW_OF_CLIENTS.times { break unless serve(source) && !@worker.stopping? && OS::Clock.now_ms < until_ms }
      end

      # Answers whether there was a client.
      def serve(source)
        return false unless source.accept(@connection)

        @exchange.serve
        true
      end
    end
  end
end
