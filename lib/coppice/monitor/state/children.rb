# frozen_string_literal: true

require "coppice/monitor/state/group"
require "coppice/monitor/state/seat_numbers"
require "coppice/monitor/state/slots"
require "coppice/roles"

module Coppice
  class Monitor
    # The table of all children that are not gone, and of those of each kind. To follow a change of one costs the same
    # however many others there are.
    class Children
      # What a child is for as long as it lives.
      KINDS = Roles::TABLE.to_h { |role| [role.plural, ->(handle) { handle.role == role.name }] }.freeze

      # What may change.
      CONDITIONS = {
        ready_workers: ->(handle) { handle.worker? && handle.ready? },
        serving_workers: :serving?.to_proc,
        starting: :starting?.to_proc,
        not_ready: ->(handle) { !handle.ready? }, # only these are to change their state by some time
        unforked: ->(handle) { handle.parent && handle.pid.nil? }, # as far as is known
        rehearsals: ->(handle) { handle.rehearsing? && !handle.leaving? },
        unseated: ->(handle) { handle.worker? && handle.seat.nil? && !handle.rehearsing? && !handle.leaving? },
        faulty: ->(handle) { handle.seat&.fault },
        signalled: ->(handle) { handle.signalled_at && !handle.leaving? },
        silent: ->(handle) { handle.vanished || handle.channel.closed? } # no message comes from these
      }.freeze

      # Of all their processes. A lobby has more than one.
      attr_reader :by_pid #: Hash[Integer, Handle]
      attr_reader :seat_numbers #: SeatNumbers
      attr_reader :slots #: Slots

      # on_add: what to call with each new child.
      attr_writer :on_add #: ^(Handle) -> void

      def initialize
        @all = Group.new { true }
        @groups = KINDS.merge(CONDITIONS).transform_values { |condition| Group.new(&condition) }
        @kinds = [@all, *@groups.values_at(*KINDS.keys)]
        @changing = @groups.values_at(*CONDITIONS.keys)
        @slots = Slots.new
        @seat_numbers = SeatNumbers.new
        @by_pid = {}
        @by_row = {} # by its index
        @pids = {}.compare_by_identity # those of each child in by_pid
        @look = method(:look)
      end

      #: () -> Array[Handle]
      def all = @all.to_a

      #: (Symbol) -> Group
      def [](name) = @groups.fetch(name)

      # The children with these rows.
      #: (Array[Integer]) -> Array[Handle]
      def of_rows(indexes) = @by_row.values_at(*indexes).compact

      # The workers that have a request, by the board. It does not look at each worker: there may be a thousand. Its
      # request may have ended since it was found. Out-of-band work is no request.
      #: (Board, Integer) -> Array[Handle]
      def busy_workers(board, now_ms)
        rows, = board.due(:started_ms, now_ms)
        of_rows(rows).select { |worker| worker.serving? && !worker.row.out_of_band? }
      end

      # One more group, whose condition may depend on what `basis` returns.
      #: (basis: ^() -> untyped) { (Handle) -> boolish } -> Group
      def group(basis:, &condition) = Group.new(all: @all, basis: basis, &condition).tap { |group| @changing << group }

      # An error of on_add leaves no trace of it here.
      #: (Handle) -> Handle
      def add(handle)
        @on_add&.call(handle)
        @slots.take(handle) if handle.worker?
        @by_row[handle.row.index] = handle
        @kinds.each { |group| group.look(handle) }
        handle.on_change = @look
        look(handle)
        handle
      end

      # Forgets a child that is gone.
      #: (Handle) -> void
      def remove(handle)
        handle.on_change = nil
        [*@kinds, *@changing].each { |group| group.forget(handle) }
        note_pids(handle, [])
        @by_row.delete(handle.row.index)
        return unless handle.worker?

        @slots.leave(handle)
        @seat_numbers.leave(handle)
      end

      private

      def look(handle)
        @changing.each { |group| group.look(handle) }
        @seat_numbers.look(handle) if handle.worker?
        note_pids(handle, handle.pids)
      end

      def note_pids(handle, pids)
        before = @pids.fetch(handle, [])
        return if before == pids

        before.each { |pid| @by_pid.delete(pid) if @by_pid[pid].equal?(handle) }
        pids.each { |pid| @by_pid[pid] = handle }
        pids.empty? ? @pids.delete(handle) : @pids[handle] = pids
      end
    end
  end
end
