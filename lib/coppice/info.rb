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

    class << self
      # Called by each process of the family when its life begins.
      #: (board: Board, row: Board::Row) -> void
      def enter(board:, row:)
        @board = board
        @row = row
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
      def fork_safe? = @row ? @row.fork_safe? : true

      # This process has done something that cannot be forked (a native thread, say):
      # it is never promoted. For good.
      #: () -> void
      def no_longer_fork_safe!
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
