# frozen_string_literal: true

require "coppice/os/throttle"

module Coppice
  class Monitor
    # Finds the children that are gone: those that have exited, those that somebody else has reaped, and those that were
    # never forked. With a thousand children the kernel takes a while to say whether any has exited, so it is asked when
    # CHLD has come.
    class ExitWatch
      CLAIM_TIME = 1.0 # seconds until an exited child that is not on the roster is reaped here
      LOST_PAUSE = 0.1 # seconds between two looks for children that somebody else may have reaped
      EXITS_PAUSE = 5.0 # seconds after which the kernel is asked in any case: a hook may handle CHLD itself

      #: (Context) -> void
      def initialize(context)
        @system = context.system
        @roster = context.roster
        @looks_for_lost = OS::Throttle.new(LOST_PAUSE)
        @looks_for_exits = OS::Throttle.new(EXITS_PAUSE)
        @unknown = {} # pid => when it was first seen to have exited (monotonic seconds)
      end

      # Yields each child that has exited and is to be reaped, with the pid, and each that can never be reaped, without
      # one. signalled: whether CHLD has come.
      #: (signalled: bool) { (Handle, Integer?) -> void } -> void
      def look(signalled:, &gone)
        now = @system.now
        silent = @roster.children[:silent].to_a
        silent_due = silent.any? && @looks_for_lost.claim(now)
        ask = @looks_for_exits.claim(now) || signalled || silent_due || @unknown.any?
        claim(find_known(&gone), now) if ask
        unforked(now).each { |handle| gone.call(handle, nil) }
        lost(silent_due ? silent : silent.select(&:vanished)).each { |handle| gone.call(handle, nil) }
      end

      # When to look again whatever comes (monotonic seconds): a child that somebody else has reaped sends no signal.
      #: () -> Float?
      def due_at = (@looks_for_lost.next_at unless @roster.children[:silent].empty?)

      private

      # Returns the pids of the others that have exited.
      def find_known
        known, tried = @roster.children.by_pid, {}
        loop do
          pids, others = @system.exited_children(known).partition { |pid| known.key?(pid) && !tried.key?(pid) }
          pids.each { |pid| yield known[pid], pid if known.key?(pid) }
          return others if pids.empty? || others.any?

          pids.each { |pid| tried[pid] = true }
        end
      end

      # Waits a while before it reaps a process that it does not know. It may be a program that a hook runs and will
      # reap, or a child whose pid has not been reported yet.
      def claim(pids, now)
        @unknown = pids.to_h { |pid| [pid, @unknown.fetch(pid, now)] }
        @unknown.each { |pid, since| @system.reap(pid) if now - since >= CLAIM_TIME }
      end

      # The process that was to fork them died.
      def unforked(now)
        @roster.children[:unforked].to_a.select do |handle|
          handle.orphaned? && handle.deadline && now >= handle.deadline
        end
      end

      # Children that can never be reaped.
      def lost(silent)
        silent.select { |handle| !handle.gone? && (handle.vanished || reaped_elsewhere?(handle)) }
      end

      # Nothing but the end of its channel tells of a child that somebody else has reaped: a hook that waits for any
      # child, or that ignores CHLD. To ask takes a file of /proc, so not in each turn for each that exits.
      def reaped_elsewhere?(handle)
        !handle.lobby? && !handle.pid.nil? && @system.lost?(handle.pid)
      end
    end
  end
end
