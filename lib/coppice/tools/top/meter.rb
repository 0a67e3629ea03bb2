# frozen_string_literal: true

require "coppice/stats/histogram"
require "coppice/stats/lobby"

module Coppice
  module Top
    # What happened in the last seconds: the difference between two snapshots of a server's totals, which only grow.
    class Meter
      SPAN = 10.0 # seconds that rates and percentiles cover, as soon as there are as many

      # One look at the server. stats: the Hash of Coppice::Stats. The rest covers the last seconds, and is nil or empty
      # until there are two snapshots. rate: requests in a second. errors: the share of the server's errors among the
      # responses. p50 and p99: seconds in the application. slot_rates: requests in a second by slot. cpu: processors
      # used, by pid.
      Reading = Struct.new(:stats, :rate, :errors, :p50, :p99, :slot_rates, :cpu, keyword_init: true)

      def initialize
        @snapshots = []
      end

      # Takes in the newest snapshot.
      #: (Hash[Symbol, untyped]) -> Reading
      def read(stats)
        @snapshots.shift while @snapshots.size > 1 && stats[:time] - @snapshots[1][:time] >= SPAN
        @snapshots << stats
        before = @snapshots.first
        elapsed = stats[:time] - before[:time]
        return Reading.new(stats: stats, slot_rates: {}, cpu: {}) unless elapsed.positive?

        Reading.new(stats: stats, slot_rates: rates(:slots, :slot, :requests),
                    cpu: rates(:processes, :pid, :cpu_seconds), **service(before, stats, elapsed))
      end

      private

      def service(before, now, elapsed)
        requests = difference(before, now, :totals, :requests)
        latencies = latencies(before, now)
        { rate: requests && (requests / elapsed), errors: errors(before, now),
          p50: latencies&.percentile(0.50), p99: latencies&.percentile(0.99) }
      end

      def errors(before, now)
        from, to = [before, now].map { |stats| responses(stats) }
        return unless from && to

        all, failed = to.zip(from).map { |new, old| new - old }
        failed.fdiv(all) if all.positive?
      end

      # Number of responses, and of those that are errors of the server: what workers have begun, and what the lobby has
      # answered itself.
      def responses(stats)
        counts = stats.dig(:totals, :responses)&.to_a or return
        counts += Array(stats.dig(:lobby, :refused)).map { |refusal| refusal.values_at(:status, :count) }
        [counts, counts.select { |status, _| Stats::Lobby.error?(status) }].map { |pairs| pairs.sum(&:last) }
      end

      # By slot or pid: the growth of an amount in a second, since the first snapshot that knows of it.
      def rates(list, key, amount)
        firsts = @snapshots.reverse.each_with_object({}) do |snapshot, found|
          Array(snapshot[list]).each { |entry| found[entry[key]] = [snapshot[:time], entry[amount]] if entry[amount] }
        end
        now = @snapshots.last
        Array(now[list]).each_with_object({}) do |entry, rates|
          time, first = firsts[entry[key]]
          rates[entry[key]] = [(entry[amount] - first) / (now[:time] - time), 0.0].max if time && time < now[:time]
        end
      end

      def difference(before, now, *path)
        from, to = [before, now].map { |stats| stats.dig(*path) }
        to - from if from && to
      end

      # Of the requests in between.
      def latencies(before, now)
        from, to = [before, now].map { |stats| stats.dig(:histograms, :application_seconds) }
        return unless from && to

        counts = to[:counts].zip(from[:counts]).map { |new, old| new - old.to_i }
        Stats::Histogram.new([0, *counts], bounds: to[:le])
      end
    end
  end
end
