# frozen_string_literal: true

require "coppice/control/duration"
require "coppice/log/text"

module Coppice
  module Control
    # The part of StatusPage that is about releases.
    class ReleaseLines
      COLUMNS = ["release", "revision", "kind", "asked by", "asked", "canary", "outcome"].freeze
      SHOWN = 5 # entries of the history

      #: (Hash[Symbol, untyped]) -> void
      def initialize(status)
        @now = status[:time]
        @releases = status[:releases] || {}
        @running = @releases[:running]
        @roll = @releases[:roll]
      end

      # Titles and texts; nil for what is unknown, or not the case.
      #: () -> Hash[String, String?]
      def facts = { "release" => running, "roll" => roll, "rollback" => rollback }

      # What is said of a process that runs the code of another release than the committed one.
      #: (Hash[Symbol, untyped]) -> String?
      def mark(process)
        release = process[:release]
        ", release #{release}" if release && @running && release != @running[:number]
      end

      # Rows of texts, newest first, below one with the titles; none as long as nothing was asked for.
      #: () -> Array[Array[String]]
      def history
        entries = @releases[:history] || []
        return [] if entries.none? { |entry| entry[:kind] != "start" }

        [COLUMNS, *entries.first(SHOWN).map { |entry| row(entry) }]
      end

      private

      def running
        return unless @running

        "#{name(@running)} in #{printable(@running[:directory])}, for #{ago(@running[:since])}"
      end

      def roll
        return unless @roll

        target = @roll[:number] ? "release #{name(@roll)} in " : ""
        "#{@roll[:kind]} to #{target}#{printable(@roll[:directory])}: #{phase}; asked for by " \
          "#{printable(@roll[:asked_by])} #{ago(@roll[:time])} ago"
      end

      def phase
        canary = @roll[:canary]
        case @roll[:phase]
        when "canary" then "canary, #{canary[:requests]} of #{canary[:wanted]} requests, #{canary[:failed]} failed"
        when "rollout" then "rollout, #{@roll[:workers_left]} workers left to replace"
        else @roll[:phase]
        end
      end

      def rollback
        rollback = @releases[:rollback] or return
        release = "to release #{rollback[:number]} " if rollback[:number]
        "#{release}without a boot for another #{Duration.text(rollback[:time_left])}"
      end

      def row(entry)
        [(entry[:number] || "-").to_s, printable(entry[:revision] || entry[:directory]), entry[:kind],
         printable(entry[:asked_by] || "-"), "#{ago(entry[:time])} ago", canary(entry), outcome(entry)]
      end

      # A release may be committed although hardly any request came in the time of its canary.
      def canary(entry)
        canary = entry[:canary]
        return "-" unless canary && (canary[:requests].positive? || entry[:outcome] == "committed")

        wanted = " of #{canary[:wanted]}" if canary[:requests] < canary[:wanted]
        "#{canary[:requests]}#{wanted} requests, #{canary[:failed]} failed"
      end

      def outcome(entry)
        return "under way" unless entry[:outcome]
        return entry[:outcome] if entry[:kind] == "start"

        reason = ": #{printable(entry[:reason])}" if entry[:reason]
        "#{entry[:outcome].tr('_', ' ')} after #{Duration.text(entry[:seconds])}#{reason}"
      end

      def name(release)
        revision = " (#{printable(release[:revision])})" if release[:revision]
        "#{release[:number]}#{revision}"
      end

      def ago(time) = Duration.text([@now - time, 0].max)

      def printable(text) = Log::Text.printable(text.to_s)
    end
  end
end
