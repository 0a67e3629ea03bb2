# frozen_string_literal: true

require "coppice/config/types/amounts"
require "coppice/monitor/steps"
require "coppice/os/throttle"

module Coppice
  class Monitor
    # Detects memory leaks by the memory that each mold has once its heap is prepared. A mold is the copy of a worker
    # and inherits what that worker has leaked, so with a leak each mold is larger than the last. LeakWatch then warns.
    # With `cold_boot_after_growth` it also decides that a new mold boots the application afresh beside the one that
    # serves.
    class LeakWatch
      GROWN_IN_A_ROW = 4 # generations
      MINIMUM_SHARE = 0.1 # minimum growth over these generations, relative to the first mold
      MINIMUM_KIB = 8 * 1024 # minimum growth over these generations
      # Seconds since a cold boot: an application that warms up grows, and a busy one has many generations meanwhile.
      WARM_UP = 600.0
      PAUSE = 600.0 # seconds between two cold boots: one that failed may fail again

      #: (Config::Settings) -> void
      def initialize(settings)
        @limit = settings.cold_boot_after_growth && Config::Types::Percentage.fraction(settings.cold_boot_after_growth)
        @molds = [] # KiB of each mold, from the last one that was no larger than its predecessor
        @warm_at = -Float::INFINITY
        @warned_at = 0 # growth in KiB
        @boots = OS::Throttle.new(PAUSE)
      end

      #: (Roster, Float) -> Array[Step]
      def next(roster, now)
        return [] unless roster.settled? && roster.mold&.ready?

        record_mold(roster, now)
        return [] unless growing?

        warnings + cold_boot(roster, now)
      end

      private

      # A cold mold does not count, because it is smaller than any warm one, and neither do those that warm up after it.
      # A mold that replaces a lost one does not count either, because its generation is not new.
      def record_mold(roster, now)
        return if roster.generation == @generation

        @generation = roster.generation
        @warm_at = now + WARM_UP if roster.mold.cold?
        kib = roster.mold.row.anonymous_kib
        forget if now < @warm_at || kib <= @molds.last.to_i
        @molds << kib unless now < @warm_at || kib.zero?
      end

      def forget
        @molds.clear
        @warned_at = 0
      end

      def growing?
        @molds.size > GROWN_IN_A_ROW && growth >= [MINIMUM_KIB, first * MINIMUM_SHARE].max && !slowing_down?
      end

      # A cache that fills up grows less and less; a leak does not.
      def slowing_down? = (@molds[-1] - @molds[-2]) * 2 < growth_per_generation

      def first = @molds.first
      def growth = @molds.last - first
      def growth_per_generation = growth / (@molds.size - 1).to_f

      # Warns once, and again each time that the growth has doubled.
      def warnings
        return [] unless growth >= @warned_at * 2

        @warned_at = growth
        [Steps::Warn.new("each generation is larger than the last: does the application retain objects?", figures)]
      end

      def cold_boot(roster, now)
        return [] unless @limit && growth > first * @limit && roster.reforks.over?(now) && @boots.claim(now)

        [Steps::ColdBoot.new(roster.next_generation)]
      end

      def figures
        { generations: @molds.size - 1, from_mib: first / 1024, to_mib: @molds.last / 1024,
          mib_per_generation: (growth_per_generation / 1024).round(1) }
      end
    end
  end
end
