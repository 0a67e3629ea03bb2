# frozen_string_literal: true

require "coppice/tools/top/line"
require "coppice/tools/top/units"

module Coppice
  module Top
    # The part of Summary that is about releases: which one runs, the roll that is under way, and how long a rollback
    # needs no boot.
    class ReleaseSummary
      #: (Hash[Symbol, untyped]) -> void
      def initialize(stats)
        @time = stats[:time]
        @releases = Hash(stats[:releases])
      end

      # nil when none is under way.
      #: () -> Line?
      def roll
        roll = @releases[:roll] or return
        release = roll[:number] ? "release #{name(roll)}" : roll[:directory].to_s
        Line.new(*label(roll[:kind]), ["#{phase(roll)}  ", :cyan], release, *part("for", Units.age(roll[:age])),
          *failed(roll), *part("asked by", roll[:asked_by]))
      end

      # nil when it is unknown.
      #: () -> Line?
      def running
        running = @releases[:running] or return
        Line.new(*label("release"), name(running), *part("for", Units.age([@time - running[:since], 0].max)), *rollback,
          *part("in", running[:directory]))
      end

      private

      def phase(roll)
        case roll[:phase]
        when "canary" then "canary #{roll[:canary][:requests]} of #{roll[:canary][:wanted]} requests"
        when "rollout" then "rollout, #{roll[:workers_left]} workers left"
        else roll[:phase]
        end
      end

      def failed(roll)
        count = roll.dig(:canary, :failed).to_i
        count.positive? ? part("failed", count.to_s, :red) : []
      end

      def rollback
        rollback = @releases[:rollback] or return []
        part("rollback without a boot for", Units.age(rollback[:time_left]))
      end

      def name(release) = [release[:number], *release[:revision]].join(" ")

      def label(text) = [["#{text} ".ljust(10), :dim]]

      def part(name, text, style = nil) = [["   #{name} ", :dim], [text || Units::NOTHING, style]]
    end
  end
end
