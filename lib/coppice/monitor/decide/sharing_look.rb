# frozen_string_literal: true

require "coppice/roles"

module Coppice
  class Monitor
    # Notes in the roster since when about as many processes share memory as now. A PSS that was measured before is
    # wrong: the first worker of a server measures itself while it shares its pages with the mold alone.
    class SharingLook
      # The share of them that must have come or gone before it matters: one among a hundred workers does not.
      SHARE = Rational(1, 10)

      SHARING = Roles::TABLE.select(&:shares).map(&:plural).freeze

      #: (Roster) -> void
      def initialize(roster)
        @roster = roster
        @processes = 0
      end

      # Nothing is noted before a generation is complete: until then the number changes with each worker.
      #: (Float) -> void
      def look(now)
        forget unless @generation == @roster.generation
        return if !complete? || unchanged?

        @processes = processes
        @roster.sharing_since = now
      end

      private

      def forget
        @generation = @roster.generation
        @processes = 0
        @roster.sharing_since = nil
      end

      def complete? = @roster.settled? && children[:unforked].empty?

      def unchanged? = (processes - @processes).abs <= @processes * SHARE

      def processes = SHARING.sum { |kind| children[kind].size } + (@roster.mold ? 1 : 0)

      def children = @roster.children
    end
  end
end
