# frozen_string_literal: true

require "coppice/config/types/percentage"
require "coppice/monitor/steps"

module Coppice
  class Monitor
    # Watches what each generation starts out with: the memory of its mold, just readied. What a worker retains for ever
    # its copies inherit, so that a leak shows here as steps that only go up. Warns of it, and if the user wishes decides
    # for a mold that boots the application afresh, beside the one that serves.
    class LeakWatch
      STEPS = 4 # in a row, all upwards, the last one not much smaller than the others: caches that fill settle
      SHARE = 0.1 # by which it must have grown in these steps together,
      LEAST_KIB = 8 * 1024 # and by how much
      PAUSE = 600.0 # seconds between two cold boots: one that failed may fail again

      #: (untyped) -> void
      def initialize(settings)
        @limit = settings.cold_boot_after_growth && Config::Types::Percentage.fraction(settings.cold_boot_after_growth)
        @molds = [] # KiB of each mold since a step that did not go up
        @warned_at = 0 # KiB
        @not_before = -Float::INFINITY
      end

      #: (Roster, Float) -> Array[Step]
      def next(roster, now)
        return [] unless roster.settled? && roster.mold&.ready?

        note(roster)
        return [] unless grows?

        warnings + renewal(roster, now)
      end

      private

      # A cold mold is not warm yet, and no measure for those that are. One that took a lost mold's place is no step.
      def note(roster)
        return if roster.generation == @generation

        @generation = roster.generation
        kib = roster.mold.row.anonymous_kib
        forget if roster.mold.cold? || kib <= @molds.last.to_i
        @molds << kib unless roster.mold.cold? || kib.zero?
      end

      def forget
        @molds.clear
        @warned_at = 0
      end

      def grows? = @molds.size > STEPS && growth >= [LEAST_KIB, first * SHARE].max && !settling?

      def settling? = (@molds[-1] - @molds[-2]) * 2 < mean_step

      def first = @molds.first
      def growth = @molds.last - first
      def mean_step = growth / (@molds.size - 1).to_f

      # Once, and again when it has doubled.
      def warnings
        return [] unless growth >= @warned_at * 2

        @warned_at = growth
        [Steps::Warn.new("each generation is larger than the last: does the application retain objects?", figures)]
      end

      def renewal(roster, now)
        return [] unless @limit && growth > first * @limit && now >= [@not_before, roster.reforks.not_before].max

        @not_before = now + PAUSE
        [Steps::ColdBoot.new(roster.generation + 1)]
      end

      def figures
        { generations: @molds.size - 1, from_mib: first / 1024, to_mib: @molds.last / 1024,
          mib_per_generation: (mean_step / 1024).round(1) }
      end
    end
  end
end
