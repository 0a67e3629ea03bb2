# frozen_string_literal: true

require "coppice/board/columns"
require "coppice/http"
require "coppice/os/clock"

module Coppice
  class Worker
    # The main loop of a worker that is ready. It takes the next client from a source and serves it, obeys the monitor
    # between two clients, and writes the worker's heartbeat to the board. Owns the sources, one of which may be the
    # lobby. Attends to the clients that linger (see docs/http.md).
    class ClientLoop
      # Maximum number of clients of one source that are served in a row, and the time after which no further one is
      # accepted. Then the worker checks its other sources and its channel.
      BATCH_CLIENTS = 16
      BATCH_MS = 10
      HEARTBEAT_MS = Board::HEARTBEAT_SECONDS * 1000

      # How often the process title says at most that the worker waits: with small requests a worker may sleep 10,000
      # times a second.
      STATUS_MS = 100

      # How long a lingering client may pause: one that has its response and may still be sending. A worker that exits
      # waits this long for all of them.
      LINGER_MS = 2000

      # lingering: that of the exchange. trial: of a worker whose mold is not committed yet.
      #: (Worker, Array[ListenerSource], exchange: Http::Exchange, lingering: Http::Lingering, cycle: RequestCycle,
      #    ?lobby: LobbySource?, ?out_of_band: OutOfBand?, ?trial: Trial?) -> void
      def initialize(worker, sources, exchange:, lingering:, cycle:, lobby: nil, out_of_band: nil, trial: nil)
        @worker = worker
        @life = worker.life
        @row = worker.membership.row
        @sources = sources
        @exchange = exchange
        @connection = exchange.connection
        @lingering = lingering
        @cycle = cycle
        @out_of_band = out_of_band
        @trial = trial
        @status_due_ms = 0
        @fair = @life.settings.accept_order == :fair
        @keeps_place = false
        @board = @life.inheritance.board
        @waiter = @life.waiter
        @waiter.add(@lingering.fileno, :lingering)
        sources.each { |source| source.register_with(@waiter) }
        add_lobby(lobby) if lobby
      end

      # From now on takes requests from this one, instead of the lobby that was lost.
      #: (LobbySource) -> void
      def take_lobby(lobby)
        @lobby&.unregister_from(@waiter)
        @sources.delete(@lobby)
        add_lobby(lobby)
      end

      #: () -> void
      def serve_until_stopped
        turn until @worker.stopping?
      end

      #: () -> void
      def refuse_new_connections = @sources.each(&:refuse_new_connections)

      # Serves the clients that have connected, and those of the lobby until it leaves, then stops the worker. The time
      # is limited, because the kernel admits one more client even with a listen backlog of 0.
      #: () -> void
      def drain
        limit = OS::Clock.now + @life.settings.timeout
        nil while OS::Clock.now < limit && !@worker.stopping? && (serve_any || await_lobby)
        @sources.each(&:close)
        @worker.stop
      end

      # Called before the process exits: waits for lingering clients, which would lose their response to a reset. The
      # deadline is moved by the same time, so that the monitor does not kill the worker meanwhile.
      #: () -> void
      def finish_lingering
        @cycle.deadline.postpone(LINGER_MS)
        @lingering.finish(LINGER_MS)
      end

      # Called in a process forked from this one: closes the copies of the descriptors.
      #: () -> void
      def close
        @lingering.close
        @sources.each(&:close)
      end

      private

      def add_lobby(lobby)
        @lobby = lobby
        lobby.register_with(@waiter)
        @sources = [*@sources, lobby]
      end

      # Serves clients, and obeys a message. If there is neither, the turn is only a heartbeat. The queue of the lobby
      # costs no system call, so it comes first; if it is empty the worker sleeps without a look at the others, since
      # that tells of them as well. A worker whose request has timed out exits within seconds: until then it serves no
      # other client and obeys no message.
      def turn
        @row.seen_ms = OS::Clock.now_ms
        @lingering.attend
        more = @lobby && serve_batch(@lobby)
        return if more && @worker.stopping? # the last request has timed out

        ready = @waiter.look if more || !@lobby
        return dispatch(ready) { serve_batch(ready) } if ready
        return (@out_of_band.call if @out_of_band&.overdue?) if more

        @out_of_band&.due? ? work : rest
      end

      # Nobody waits, and the worker has no order. A client that comes meanwhile most likely gets to another worker.
      def work
        ready = @waiter.look
        return dispatch(ready) { serve_batch(ready) } if ready

        rest unless @out_of_band.call
      end

      def rest
        note_idle
        wake_last if !@keeps_place && (@fair || @board.trial_watched == 1) # or few clients would come to one on trial
        ready = wait unless @worker.stopping? # it may have been told to stop since the last check
        return pass_time unless ready

        dispatch(ready) { serve(ready) }
      end

      # When nothing came for a whole heartbeat, and not only no more than what the lobby has woken this worker for.
      def pass_time
        return if OS::Clock.now_ms - @row.seen_ms < HEARTBEAT_MS - 1

        @life.stop_without_channel
        OS.release_free_memory if @served
        @served = false
      end

      # Until the next client: a turn without one, such as a heartbeat, leaves the workers in their order.
      def wake_last
        @keeps_place = true
        @waiter.wake_last
      end

      # What is not noted now is noted after a heartbeat without a client.
      def note_idle
        return if @row.seen_ms < @status_due_ms

        @status_due_ms = @row.seen_ms + STATUS_MS
        @cycle.idle
      end

      # The request that the lobby has woken this worker for comes first, even before an order to stop: no other worker
      # was woken for it. If it times out, nothing follows it.
      def wait
        return @waiter.wait(HEARTBEAT_MS) unless @lobby

        ready, woken = @lobby.idle(HEARTBEAT_MS) { |sleep_ms| @waiter.wait(sleep_ms) }
        serve(@lobby) if woken
        ready unless woken && @worker.stopping?
      end

      # Yields if a source has a client. Each turn attends to lingering clients anyway.
      def dispatch(ready)
        case ready
        when :channel then @life.obey
        when :lingering then nil
        else yield
        end
      end

      # A source that had a client most likely has more, so this does not call the waiter between them. Returns whether
      # there may be more now.
      def serve_batch(source)
        until_ms = OS::Clock.now_ms + BATCH_MS
        BATCH_CLIENTS.times do
          return false unless serve(source)
          break if @worker.stopping? || OS::Clock.now_ms >= until_ms
        end
        true
      end

      # Returns whether there was a client.
      def serve_any = @sources.any? { |source| serve(source) }

      # Returns whether the lobby may still send requests.
      def await_lobby
        return false if @lobby.nil? || @lobby.ended?

        @row.seen_ms = OS::Clock.now_ms
        @lobby.wait(HEARTBEAT_MS)
        true
      end

      # Returns whether there was a client.
      def serve(source)
        return false unless source.accept(@connection)

        @keeps_place = false
        @served = true
        @exchange.serve
        await_verdict if @trial
        true
      end

      # Leaves the next clients to other workers until the monitor has seen the failure: it may give up this worker.
      def await_verdict
        @life.obey if @trial.failed? && @life.message?(Trial::PAUSE)
        @trial = nil if @trial.over?
      end
    end
  end
end
