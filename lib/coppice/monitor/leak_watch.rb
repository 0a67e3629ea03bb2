# frozen_string_literal: true

require "coppice/config/types/amounts"
require "coppice/monitor/steps"

module Coppice
  class Monitor
    # Watches the memory that each generation starts with: that of its mold once its heap is prepared. What a worker
    # retains forever its copies inherit, so that a leak shows as molds that only grow. Warns of it and, with
    # `cold_boot_after_growth`, decides that a new mold boots the application afresh beside the one that serves.
    class LeakWatch
      STEPS = 4 # generations in a row that grew, the last one not much less than the others: a cache that fills settles
      SHARE = 0.1 # the least growth in all these steps, relative to the first mold,
      LEAST_KIB = 8 * 1024 # and absolute
      PAUSE = 600.0 # seconds between two cold boots: one that failed may fail again

      #: (Config::Settings) -> void
      def initialize(settings)
        @limit = settings.cold_boot_after_growth && Config::Types::Percentage.fraction(settings.cold_boot_after_growth)
        @molds = [] # KiB of each mold since one that did not grow
        @warned_at = 0 # KiB
        @not_before = -Float::INFINITY
      end

      #: (Roster, Float) -> Array[Step]
      def next(roster, now)
        return [] unless roster.settled? && roster.mold&.ready?

        record_mold(roster)
        return [] unless grows?

        warnings + cold_boot(roster, now)
      end

      private

      # A cold mold is smaller than any warm one, and does not count. A replacement of a lost mold is no new generation.
      def record_mold(roster)
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

      def cold_boot(roster, now)
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
