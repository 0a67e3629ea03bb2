# frozen_string_literal: true

require "coppice/board"
require "coppice/fork_safety/kept_ios"

module Coppice
  # What an application may ask of, and tell, the server that it runs in. Outside of a server it returns zero, false or
  # true, and raises nothing.
  module Info
    # Of this process; each life sets them anew.
    @board = nil
    @row = nil
    @fork_safe = true # in memory: what was loaded before a fork is in the copy as well

    class << self
      # Called by the monitor, and by each of its children when its life begins: from here on it reads this board. The
      # monitor and the observer have no row of their own to write.
      #: (board: Board, row: Board::Row?) -> void
      def attach(board:, row:)
        @board = board
        @stats = nil
        @row = row
        row.not_fork_safe = 1 if row && !@fork_safe
      end

      # Number of workers wanted, after TTIN and TTOU; 0 outside of a server.
      #: () -> Integer
      def workers_count = @board ? @board.workers_count : 0

      # Number of workers that are ready and not overdue; 0 outside of a server.
      #: () -> Integer
      def live_workers_count
        return 0 unless @board

        now = OS::Clock.now_ms
        workers = @board.rows.select { |row| row.role_name == :worker && row.ready? }
        workers.count { |row| row.deadline_ms.zero? || row.deadline_ms > now }
      end

      # nil outside of a server. Not loaded where it is not used: the monitor has it only for hooks that ask.
      #: () -> Stats?
      def stats
        return unless @board

        require "coppice/stats"
        @stats ||= Stats.new(@board)
      end

      # Whether the server was told to stop: a health check should fail from then on.
      #: () -> bool
      def shutting_down? = @board ? @board.shutting_down == 1 : false

      # Whether this process may be promoted.
      #: () -> bool
      def fork_safe? = @fork_safe

      # This process has done something that cannot be forked (it started a native thread, for example): it is never
      # promoted, and nor are processes that are forked from it later. Called while the application is loaded, it ends
      # reforking for the whole server.
      #: () -> void
      def no_longer_fork_safe!
        @fork_safe = false
        @row.not_fork_safe = 1 if @row
      end

      # Keeps an IO open when close_all_ios! is called, and out of what the fork audit finds. Returns the IO.
      #: (IO) -> IO
      def keep_io(io) = ForkSafety::KeptIOs.keep(io)

      #: (Array[IO]) -> Array[IO]
      def keep_ios(ios) = ios.each { |io| keep_io(io) }

      # Closes all IOs of this process but the standard ones and those kept: for a hook after a fork, so that this
      # process shares no connection with its parent.
      #: () -> void
      def close_all_ios! = ForkSafety::KeptIOs.close_others
    end
  end
end
