# frozen_string_literal: true

require "coppice/board/record"
require "coppice/os/clock"
require "coppice/roles"

module Coppice
  class Board
    # The gauges of one process.
    class Row < Record.of(ROW_COLUMNS)
      CELLS = ROW_COLUMNS.sum(&:cells)
      COUNTS = COUNT_COLUMNS.sum(&:cells)
      # Where all counts begin, in a row, a slot and a record of the last hour.
      FIRST_COUNT = COUNT_COLUMNS.first.name
      REST_MS = 60_000 # for a worker that refused its promotion for a reason that passes

      attr_reader :index #: Integer

      #: (Cells, Integer, Integer) -> void
      def initialize(cells, offset, index)
        super(cells, offset)
        @index = index
      end

      # Hands the row to a process about to be spawned (monitor).
      # Raises Bug for a role that does not exist.
      #: (role: Symbol, nr: Integer?, generation: Integer) -> void
      def assign(role:, nr:, generation:)
        clear
        self.nr = nr || -1
        self.generation = generation
        self.role = Roles.number(role)
      end

      # Takes it back once the process is reaped (monitor).
      #: () -> void
      def clear = @cells.clear(@offset, CELLS)

      #: () -> Symbol
      def role_name = Roles.name_of(role)

      #: () -> bool
      def used? = role != Roles::FREE && !pid.zero?

      #: () -> bool
      def ready? = ready == 1

      # Whether what is in flight is no request but out-of-band work. Ask before you read started_ms: when the work ends
      # in between, started_ms is 0.
      #: () -> bool
      def out_of_band? = out_of_band_ms.positive?

      # Whether the application says of the request in flight that it will wait.
      #: () -> bool
      def waits? = waits_ms.positive? && waits_ms == started_ms

      # Names the hook that the block calls (process).
      #: [T] (Symbol) { () -> T } -> T
      def during_hook(name)
        self.hook = name.to_s
        yield
      ensure
        self.hook = ""
      end

      # Whether it may be asked to fork a mold.
      #: () -> bool
      def fork_safe? = not_fork_safe.zero? || (not_fork_safe > 1 && not_fork_safe <= OS::Clock.now_ms)

      # It must not be promoted now, and is asked again later (worker).
      #: () -> void
      def rest_from_promotions
        self.not_fork_safe = OS::Clock.now_ms + REST_MS
      end
    end
  end
end
