# frozen_string_literal: true

require "coppice/errors"
require "coppice/os/clock"
require "coppice/worker/out_of_band/collection"
require "coppice/worker/out_of_band/connection_budget"
require "coppice/worker/out_of_band/idle_connections"
require "coppice/worker/out_of_band/user_block"

module Coppice
  class Worker
    # Work that a worker does between two requests while no client waits. It is on the board meanwhile: as work in
    # flight with a deadline, and so that no more than a tenth of the workers do such work at the same time. A worker at
    # work waits neither for the lobby nor for a listener, so clients get to the others.
    class OutOfBand
      NAME = "out-of-band work" # as the request in flight
      SHARE = 10 # one worker in so many, rounded up
      FAILURES = 3 # in a row, after which this worker does not try the work again

      # nil if nothing is configured.
      #: (Worker, Config::Settings) -> OutOfBand?
      def self.of(worker, settings)
        return if worker.membership.rehearsing?

        kinds = [Collection, UserBlock, IdleConnections, ConnectionBudget]
        tasks = kinds.filter_map { |kind| kind.of(worker, settings) }
        new(worker.membership.row, worker.inheritance.board, worker.log, tasks, settings.timeout) unless tasks.empty?
      end

      # timeout: seconds.
      #: (Board::Row, Board, Log, Array[Task], Numeric) -> void
      def initialize(row, board, log, tasks, timeout)
        @row = row
        @board = board
        @log = log
        @tasks = tasks
        @failures = Hash.new(0)
        @timeout_ms = (timeout * 1000).ceil
      end

      # Whether there is work for a worker without a client.
      #: () -> bool
      def due? = @tasks.any?(&:due?)

      # Whether there is work that can wait no longer for the clients to pause.
      #: () -> bool
      def overdue? = @tasks.any?(&:overdue?)

      # Does what is due, unless enough other workers are at work. Returns whether it did.
      #: () -> bool
      def call
        announced do
          return false if crowded?

          @tasks.select(&:due?).each { |task| attempt(task) }
        end
        true
      end

      # Called on the helper thread while a request takes long.
      #: () -> void
      def note_long_request = @tasks.each(&:note_long_request)

      # In a process forked from this one.
      #: () -> void
      def cancel = @tasks.each(&:cancel)

      private

      # The deadline comes last and goes first, as that of a request.
      def announced
        now_ms = OS::Clock.now_ms
        @row.out_of_band_ms = now_ms
        @row.request = NAME
        @row.request_id = ""
        @row.started_ms = now_ms
        @row.deadline_ms = now_ms + @timeout_ms
        yield
      ensure
        @row.deadline_ms = 0
        @row.started_ms = 0
        @row.out_of_band_ms = 0
      end

      # Each announces itself before it counts: two that begin at the same time may both give way, and try again when
      # they are idle the next time, but never both go on. The monitor clears the row of one that was killed.
      def crowded?
        at_work = @board.rows.count { |row| row.out_of_band? }
        at_work > (@board.workers_count / SHARE.to_f).ceil
      end

      # The work that fails is most often the user's.
      def attempt(task)
        task.call
        @failures.delete(task)
      rescue UserCodeError => error
        @log.exception("out-of-band work failed", error, work: task.name)
        return if (@failures[task] += 1) < FAILURES

        @tasks -= [task]
        task.cancel
        @log.error("out-of-band work is given up in this worker", work: task.name, failures: FAILURES)
      end
    end
  end
end
