# frozen_string_literal: true

require "coppice/version"
require "coppice/tools/memory/server_memory"
require "coppice/tools/memory/picture"
require_relative "dashboard_fixture/releases"
require_relative "dashboard_fixture/shape"

module Coppice
  # A server that does not exist, as Coppice::Stats would tell of it: any number of workers, an hour of history with
  # reforks, one abandoned promotion, exits, a queue that is sometimes long. The numbers are the same each time, so
  # that a test can compare what a page shows with what it was given.
  #
  #   fixture = DashboardFixture.new(workers: 8)
  #   fixture.advance(2)   # time goes on
  #   fixture.refork       # starts one; workers are replaced in the next steps
  class DashboardFixture
    INTERVAL = 2.0
    STEPS = 1800
    MIB = 1_048_576
    PATHS = ["GET /", "GET /products", "GET /products/7", "GET /cart", "POST /orders", "GET /search",
             "GET /account/orders/2291"].freeze
    NAMES = %w[time requests responses errors busy_seconds cpu_seconds pss private rss workers_ready workers_busy
               requests_waiting generation application_seconds queue_seconds].freeze

    attr_accessor :slow_request # a text from a client, shown as in flight in slot 1; nil for none
    attr_accessor :pid          # of the monitor: another one is a restarted server
    attr_accessor :roll         # what Coppice.stats says of a roll that is under way; nil for none
    attr_reader :generation, :workers

    # time: the present, in unix time. steps: records of history before it.
    def initialize(workers: 8, time: 1_790_000_000.0, steps: STEPS)
      @workers = workers
      @random = Random.new(7)
      @time = time - (steps * INTERVAL)
      @pid = 4711
      @started_at = @time - 600
      @shape = Shape.new(workers)
      @generation = 0
      @generation_started = @time - 600
      @promotions = [@shape.boot(@time - 600)]
      @releases = Releases.new(@time - 600)
      @records = []
      @totals = Hash.new(0.0)
      @application = Shape.zeros
      @queue = Shape.zeros
      @first_requests = Shape.zeros
      plan = { 90 => :commit, 420 => :commit, 800 => :abandon, 1640 => :commit }
      steps.times do |step|
        refork(plan[step]) if plan.key?(step)
        @releases.give_up(@time) if step == 600
        commit_release if step == 1010
        tick
      end
    end

    # Seconds, in steps of the ring.
    def advance(seconds)
      (seconds / INTERVAL).ceil.times { tick }
      self
    end

    # A promotion that begins now; committed, or abandoned in its trial.
    def refork(outcome = :commit)
      @promotions.unshift(@shape.promotion(@generation + 1, outcome, @time, @random, private_before: private_each))
      return unless outcome == :commit

      @generation += 1
      @generation_started = @time
      @first_requests[Shape.bucket(@shape.first_request(@generation))] += @workers
    end

    # A roll that is committed now.
    def commit_release
      refork
      @promotions.first.update(reason: "roll", refork: false, template_slot: nil)
      @releases.commit(@time, @generation)
    end

    # Number of the release whose code a generation runs.
    def release_of(generation) = @releases.of(generation)

    def history(since = 0)
      records = @records.select { |seq, _| seq > since }
      { seq: @records.last&.first || 0, interval: INTERVAL, names: NAMES, records: records.map(&:last) }
    end

    def stats
      busy = busy_slots
      processes = @shape.processes(self, busy)
      ready = processes.count { |process| process[:role] == "worker" && process[:state] != "starting" }
      waiting = @waiting
      {
        version: VERSION, time: @time,
        server: {
          pid: @pid, state: "serving", uptime: @time - @started_at, started_at: @started_at, generation: @generation,
          workers: @workers, workers_ready: ready, workers_busy: busy.size, utilization: @utilization.round(4),
          requests_waiting: waiting, monitor_beat_age: 0.21, directory: "/srv/shop/current",
          ruby: "ruby 3.4.5 (2025-07-16 revision 20cda200d3) +YJIT +PRISM [x86_64-linux]",
          listeners: [{ name: "http://0.0.0.0:8080", queue: waiting, backlog: 1024 },
                      { name: "unix:/run/coppice/shop.sock", queue: 0, backlog: 1024 }]
        },
        memory: memory, totals: totals, histograms: histograms, slots: Array.new(@workers) { |slot| slot_totals(slot) },
        processes: processes, releases: @releases.to_h(@time, roll), exits: @shape.exits,
        recent_exits: @shape.recent_exits(@time, @generation), reforks: reforks,
        promotions: @promotions.first(64), ledger: ledger, fork_audit: @shape.fork_audit(@time)
      }
    end

    # Of this very process, or of another one, as of the worker in that slot.
    def page_map(slot, pid: Process.pid)
      facts = { pid: pid, role: :worker, nr: slot, generation: generation }
      space = Memory::AddressSpace.of(Memory::ProcessMemory.of(**facts))
      Memory::Picture.new([space]).to_s
    end

    # Seconds since the present generation was begun.
    def generation_age = @time - @generation_started

    # Bytes of private memory of a worker: grows with what it has served, towards a limit.
    def private_each = @shape.private_of(@generation, generation_age)

    private

    def tick
      @time += INTERVAL
      since = generation_age
      load = @shape.load(@time, @random)
      count = (load * INTERVAL).round
      slowdown = @generation.zero? ? 1.5 : 1 + (0.35 * Math.exp(-since / 20))
      @utilization = [load * 0.022 * slowdown / @workers, 1.0].min
      @waiting = @utilization > 0.85 ? ((@utilization - 0.8) * @workers * 2 * @random.rand).round : 0
      count_requests(count, slowdown)
      record = [@time.round(3), @totals[:requests], responses.values, @totals[:server_errors], @totals[:busy].round(3),
                @totals[:cpu].round(3), pss, private_all, rss, @workers, (@utilization * @workers).round, @waiting,
                @generation, @application.dup, @queue.dup]
      @records << [(@records.last&.first || 0) + 1, record]
      @records.shift if @records.size > STEPS
    end

    def count_requests(count, slowdown)
      Shape.spread(count, 0.0165 * slowdown, @application)
      Shape.spread(count, @waiting.zero? ? 0.0004 : 0.02, @queue)
      @totals[:requests] += count
      @totals[:server_errors] += count * 0.0006
      @totals[:busy] += count * 0.022 * slowdown
      @totals[:cpu] += count * 0.014 * slowdown
    end

    def responses
      all = @totals[:requests].to_i
      errors = @totals[:server_errors].to_i
      { "1xx" => 0, "2xx" => all - (all / 11) - (all / 50) - errors, "3xx" => all / 11, "4xx" => all / 50,
        "5xx" => errors }
    end

    def shared = (182 * MIB) + (@generation * 3 * MIB)
    def private_all = (@workers * private_each).round
    def rss = ((@workers + 1) * shared) + private_all
    def pss = shared + private_all + (6 * MIB)

    def memory
      { pss: pss, private: private_all, rss: rss, saved: rss - pss, total: [8, @workers / 16].max * 1024 * MIB,
        available: ([8, @workers / 16].max * 1024 * MIB * 0.88).round - pss, measured_age: 1.4 }
    end

    def totals
      { requests: @totals[:requests].to_i, responses: responses, refused: 41, dropped_headers: 3, timeouts: 6,
        hijacked: 12, bytes_received: (@totals[:requests] * 640).round, bytes_sent: (@totals[:requests] * 18_200).round,
        busy_seconds: @totals[:busy].round(3), gc_seconds: (@totals[:busy] * 0.043).round(3),
        gc_runs: (@totals[:requests] / 31).round, cpu_seconds: @totals[:cpu].round(3) }
    end

    def slot_totals(slot)
      { slot: slot, **totals.except(:dropped_headers).transform_values { |value| share(value) } }
    end

    # A worker's part of a total.
    def share(value)
      return value.transform_values { |one| share(one) } if value.is_a?(Hash)

      value.is_a?(Float) ? (value / @workers).round(3) : value / @workers
    end

    def histograms
      { application_seconds: Shape.histogram(@application), queue_seconds: Shape.histogram(@queue),
        first_request_seconds: Shape.histogram(@first_requests) }
    end

    def reforks
      abandoned = @promotions.count { |one| one[:outcome] == "abandoned" }
      counts = [["boot", "committed", 1], ["auto", "committed", @generation], ["auto", "abandoned", abandoned]]
      counts.map do |reason, outcome, count|
        { reason: reason, refork: reason != "boot", outcome: outcome, count: count }
      end
    end

    def busy_slots
      count = (@utilization * @workers).round
      slots = (0...@workers).sort_by { |slot| (slot * 7919) % 1009 }.first(count)
      busy = slots.to_h { |slot| [slot, PATHS[slot % PATHS.size]] }
      @slow_request ? busy.merge([1, @workers - 1].min => @slow_request) : busy
    end

    def ledger
      served = (generation_age * @shape.mean_load).round
      gain = (private_all * 0.52 * served / (pss * 20.0)).round
      cost = 700 + (25 * @workers)
      growth = private_each / [served, 1].max
      { waste: (private_all * 0.52).round, rebuilt: private_each / 8, total: pss, gain_requests: gain,
        cost_requests: cost, headroom: 1.0, served: served, growth_per_request: growth,
        due_in_requests: [((cost - gain) * 1.8).round, 0].max,
        resting_for: generation_age < 40 ? (40 - generation_age).round(1) : nil }
    end
  end
end
