# frozen_string_literal: true

require "coppice/board"
require "coppice/fork_safety/kept_ios"

module Coppice
  # What an application may ask of, and tell to, the server it runs in. Works, with
  # dull answers, outside of one as well.
  module Info
    # The process's own place in the family; set anew by each life. A struct held
    # in a frozen constant would be a mutable constant, so it is the module's state.
    @board = nil
    @row = nil
    @fork_safe = true # in memory: what was loaded before a fork is in the copy as well

    class << self
      # Called by each process of the family when its life begins.
      #: (board: Board, row: Board::Row) -> void
      def enter(board:, row:)
        @board = board
        @row = row
        row.not_fork_safe = 1 unless @fork_safe
      end

      # How many workers there should be, TTIN and TTOU counted; 0 outside of a server.
      #: () -> Integer
      def workers_count = @board ? @board.workers_count : 0

      # Workers that are ready and not overdue.
      #: () -> Integer
      def live_workers_count
        return 0 unless @board

        now = OS::Clock.now_ms
        @board.rows.count do |row|
          row.role_name == :worker && row.ready? && (row.deadline_ms.zero? || row.deadline_ms > now)
        end
      end

      # Whether a stop was asked for: a health check should fail from now on.
      #: () -> bool
      def shutting_down? = @board ? @board.shutting_down == 1 : false

      # Whether this process may become the template of the others.
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

      # Keeps descriptors open through close_all_ios!; answers what it was given.
      #: (IO) -> IO
      def keep_io(io) = ForkSafety::KeptIOs.keep(io)

      #: (Array[IO]) -> Array[IO]
      def keep_ios(ios) = ios.each { |io| keep_io(io) }

      # Closes every IO of this process but the standard ones and those kept: for a
      # hook after a fork, so that no connection is shared with the parent.
      #: () -> void
      def close_all_ios! = ForkSafety::KeptIOs.close_others
    end
  end
end
