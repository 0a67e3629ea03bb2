# frozen_string_literal: true

module Coppice
  class DashboardFixture
    # How the server that does not exist behaves: its load, its latencies and its processes.
    class Shape
      MIB = 1_048_576
      # Upper bounds, in seconds: four to each power of two from 61 microseconds to 64 seconds.
      BOUNDS = (-14..5).flat_map { |power| [1.0, 1.25, 1.5, 1.75].map { |step| (2.0**power) * step } }.push(64.0).freeze

      def self.zeros = Array.new(BOUNDS.size + 1, 0)
      def self.bucket(seconds) = BOUNDS.index { |bound| seconds <= bound } || BOUNDS.size

      # Adds `count` requests around `median`, most of them near it and some far above.
      def self.spread(count, median, counts)
        [[0.35, 0.4], [0.7, 0.25], [1, 0.2], [1.6, 0.1], [2.6, 0.035], [5, 0.011], [11, 0.003], [32, 0.001]]
          .each { |factor, part| counts[bucket(median * factor)] += (count * part).round }
      end

      def self.histogram(counts)
        count = counts.sum
        sum = counts.each_with_index.sum { |one, at| one * BOUNDS.fetch(at, 64.0) * 0.9 }
        { le: BOUNDS, counts: counts, sum: sum.round(3), count: count, p50: quantile(counts, 0.5),
          p90: quantile(counts, 0.9), p99: quantile(counts, 0.99), p999: quantile(counts, 0.999) }
      end

      def self.quantile(counts, part)
        left = counts.sum * part
        return nil unless left.positive?

        at = counts.index { |one| (left -= one) <= 0 }
        BOUNDS.fetch(at || counts.size, 64.0)
      end

      def initialize(workers)
        @workers = workers
      end

      def mean_load = @workers * 22.0 # requests a second

      def load(time, random)
        wave = 1 + (0.28 * Math.sin(time / 420)) + (0.12 * Math.sin(time / 97))
        surge = (time % 3000).between?(2350, 2420) ? 1.9 : 1
        mean_load * wave * surge * (0.94 + (random.rand * 0.12))
      end

      def private_of(generation, age)
        limit = [78, 52, 41, 36][generation] || 33
        (((limit * (1 - Math.exp(-age / 500))) + 3.2) * MIB).round
      end

      def template(generation) = (generation * 3) % @workers
      def first_request(generation) = [0.412, 0.061, 0.034, 0.029][generation] || 0.027
      def median(generation) = [0.0249, 0.0178, 0.0169, 0.0166][generation] || 0.0165

      def promotion(generation, outcome, time, random, private_before:)
        committed = outcome == :commit
        { generation: generation, time: time, reason: "auto", refork: true,
          outcome: committed ? "committed" : "abandoned", template_slot: template(generation),
          phases: { fork: (0.012 + (random.rand * 0.006)).round(4), prepare: (0.42 + (random.rand * 0.3)).round(4),
                    trial: committed ? (0.18 + (random.rand * 0.1)).round(4) : nil,
                    rollout: committed ? (0.9 + (0.11 * @workers) + random.rand).round(4) : nil },
          workers: committed ? @workers : 0, private_before: private_before * @workers,
          private_after: committed ? (3.2 * MIB * @workers).round : nil,
          first_request_seconds: committed ? first_request(generation) : nil,
          median_seconds: committed ? median(generation) : nil }
      end

      def boot(time)
        { generation: 0, time: time, reason: "boot", refork: false, outcome: "committed", template_slot: nil,
          phases: { fork: 0.0, prepare: 4.21, trial: 0.31, rollout: 0.4 }, workers: @workers, private_before: 0,
          private_after: 9 * MIB * @workers, first_request_seconds: first_request(0), median_seconds: median(0) }
      end

      def processes(fixture, busy)
        mold = { pid: fixture.pid + (1000 * (fixture.generation + 1)) }
        workers = Array.new(@workers) { |slot| worker(fixture, slot, busy[slot], mold) }
        [other("mold", mold.fetch(:pid), mold_parent(fixture), fixture),
         other("service", fixture.pid + 2, mold.fetch(:pid), fixture).merge(name: "solid_queue"),
         *guests(fixture, mold.fetch(:pid)), other("observer", fixture.pid + 1, fixture.pid, fixture), *workers]
      end

      def guests(fixture, mold)
        { "bin/rails console" => 2130.0, "bin/rake reports:month" => nil }.map.with_index(3) do |(program, left), place|
          other("guest", fixture.pid + place, mold, fixture).merge(state: "busy", request: program, request_age: 1470.5,
            age: 1470.6, private: 31 * MIB, client_uid: 1000, client_pid: 977 + place, time_left: left)
        end
      end

      def exits
        { worker: { "asked" => 4 * @workers, "timeout" => 2, "signal" => 1, "out_of_memory" => 1 },
          mold: { "asked" => 4 } }
      end

      def fork_audit(time)
        { findings: 3, refused: 1, recent: [
          { time: time - 2400, kind: :missing_thread, message: "a thread does not exist after the fork",
            owner: "poller app/models/prices.rb:14", generation: 1 }
        ] }
      end

      def recent_exits(time, generation)
        [
          { time: time - 318, role: "worker", slot: 0, generation: generation, pid: 9120, cause: "timeout", signal: nil,
            status: 1, requests: 1201, age: 62.4, request: "GET /reports/year", request_age: 30.1,
            peak_memory: 231 * MIB },
          { time: time - 1390, role: "worker", slot: 1 % @workers, generation: 2, pid: 8022, cause: "out_of_memory",
            signal: "KILL", status: nil, requests: 7120, age: 702.0, request: "POST /imports", request_age: 4.2,
            peak_memory: 912 * MIB },
          { time: time - 2010, role: "worker", slot: 0, generation: 2, pid: 8019, cause: "signal", signal: "SEGV",
            status: nil, requests: 3022, age: 241.9, request: nil, request_age: nil, peak_memory: 219 * MIB }
        ]
      end

      private

      # The worker that was promoted is gone once the rollout is over.
      def mold_parent(fixture)
        generation = fixture.generation
        generation.zero? ? fixture.pid : fixture.pid + (1000 * generation) + 10 + template(generation)
      end

      def other(role, pid, parent, fixture)
        { role: role, slot: nil, generation: role == "observer" ? nil : fixture.generation,
          release: role == "observer" ? nil : fixture.release_of(fixture.generation), pid: pid,
          parent_pid: parent, state: "idle", age: fixture.generation_age.round(1), requests: 0, request: nil,
          in_flight: false, request_age: nil, answered_age: nil, overdue: false, fork_safe: true, rss: 190 * MIB,
          pss: 22 * MIB, private: 2 * MIB, private_at_start: 0, measured_age: 1.2,
          cpu_seconds: 1.31, first_request_seconds: nil, median_seconds: nil, client_uid: nil, client_pid: nil,
          time_left: nil }
      end

      def worker(fixture, slot, request, mold)
        old = successors(fixture) <= slot
        generation = fixture.generation - (old ? 1 : 0)
        fresh = !old && successors(fixture) < @workers && successors(fixture) == slot + 1
        age = old ? fixture.generation_age + 600 : fixture.generation_age
        state = fresh ? "starting" : (request ? "busy" : "idle")
        weight = 0.55 + (((slot * 37) % 11) * 0.09)
        own = (private_of(generation, age) * (0.6 + (weight * 0.4))).round
        { role: "worker", slot: slot, generation: generation, release: fixture.release_of(generation),
          pid: fixture.pid + (1000 * (generation + 1)) + 10 + slot,
          parent_pid: old ? fixture.pid + (1000 * fixture.generation) : mold.fetch(:pid), state: state,
          age: age.round(1), requests: (age * 22 * weight).round, request: (request if state == "busy"),
          in_flight: state == "busy", request_age: (request_age(slot, request) if state == "busy"), answered_age: nil,
          overdue: false, fork_safe: @workers < 8 || slot % 97 != 5, rss: (190 * MIB) + own,
          pss: own + (190 * MIB / (@workers + 1)), private: own, private_at_start: (1.9 * MIB).round, measured_age: 1.2,
          cpu_seconds: (age * 0.31 * weight).round(2),
          first_request_seconds: first_request(generation) * (0.9 + (slot % 5 * 0.05)),
          median_seconds: median(generation) * (0.97 + (slot % 7 * 0.01)) }
      end

      # How many workers of the newest generation there are: in the first seconds the rollout replaces them.
      def successors(fixture)
        return @workers if fixture.generation.zero?

        [(fixture.generation_age / 2 * [@workers / 8.0, 1].max).ceil, @workers].min
      end

      def request_age(slot, request)
        (request.include?("search") ? 2.4 + (slot % 3) : 0.004 + ((slot * 13) % 40 / 1000.0)).round(4)
      end
    end
  end
end
