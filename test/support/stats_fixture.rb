# frozen_string_literal: true

# A Hash as Coppice::Stats answers it, for what shows it.
module StatsFixture
  TIME = 1_790_000_000.0

  # At `seconds` after the first look; each worker has served 10 requests in each.
  def self.at(seconds = 0.0, workers: 3, **server)
    { version: "0.1.0", time: TIME + seconds,
      server: { pid: 4711, state: "serving", uptime: 12_000.0 + seconds, generation: 12, workers: workers,
                workers_ready: workers, workers_busy: 1, utilization: 0.62, requests_waiting: 3, monitor_beat_age: 0.2,
                ruby: "ruby 3.4.1", directory: "/srv/shop",
                listeners: [{ name: "http://0.0.0.0:8080", queue: 3, backlog: 1024 }] }.merge(server),
      memory: { pss: 327_155_712, private: 90_000_000, rss: 1_600_000_000, saved: 1_272_844_288, total: 4_294_967_296,
                available: 2_254_857_830, measured_age: 0.4 },
      totals: { requests: requests(seconds) * workers,
                responses: { "2xx" => requests(seconds) * workers, "5xx" => 0 } },
      histograms: { application_seconds: histogram(requests(seconds) * workers) },
      slots: Array.new(workers) { |slot| { slot: slot, requests: requests(seconds), responses: { "5xx" => 2 } } },
      processes: processes(workers, seconds), services: [],
      releases: { running: { number: 2, revision: "4f2a77e", directory: "/srv/shop/releases/2", since: TIME - 9000 },
                  roll: nil, rollback: nil, history: [] },
      exits: { worker: { "asked" => 7, "signal" => 1 }, mold: { "asked" => 2 } },
      recent_exits: [{ time: TIME - 12, role: "worker", slot: 1, generation: 12, pid: 99, cause: "signal",
                       request: "GET /crash" }],
      reforks: [{ reason: "auto", refork: true, outcome: "committed", count: 12 },
                { reason: "asked", refork: true, outcome: "abandoned", count: 1 }],
      promotions: [{ generation: 12, time: TIME - 180, reason: "auto", refork: true, outcome: "committed",
                     phases: {} }],
      ledger: { due_in_requests: 300 } }
  end

  def self.requests(seconds) = 1000 + (10 * seconds).to_i

  # Ten in a hundred between 0.1 and 1 s, the others between 0.01 and 0.1 s.
  def self.histogram(count)
    { le: [0.01, 0.1, 1.0], counts: [0, count - (count / 10), count / 10, 0], sum: 1.0, count: count }
  end

  def self.processes(workers, seconds)
    mold = { role: "mold", slot: nil, generation: 12, pid: 5000, state: "idle", age: 180.0, fork_safe: true,
             private: 2_000_000, pss: 40_000_000, cpu_seconds: 4.0 }
    [mold, *Array.new(workers) { |slot| worker(slot, seconds) }]
  end

  def self.worker(slot, seconds)
    busy = slot.zero?
    { role: "worker", slot: slot, generation: 12, pid: 5001 + slot, parent_pid: 5000, state: busy ? "busy" : "idle",
      age: 180.0, requests: 40 + slot, request: ("GET /products/7" if busy), request_age: (1.25 if busy),
      overdue: false, fork_safe: true, rss: 180_000_000, pss: 50_000_000, private: 12_000_000 + (slot * 1_000_000),
      private_at_start: 3_000_000, measured_age: 0.4, cpu_seconds: 10.0 + (seconds * 0.25 * (slot + 1)),
      first_request_seconds: 0.012, median_seconds: 0.004 }
  end
end
