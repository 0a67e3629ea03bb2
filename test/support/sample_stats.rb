# frozen_string_literal: true

require "coppice/board"
require "coppice/stats"

# The Hash of Coppice::Stats of a server that does not exist: three workers in their second generation.
module SampleStats
  #: (?slots: Hash[Symbol, untyped], **untyped) -> Hash[Symbol, untyped]
  def self.of(memory: {}, **server)
    { version: "0.1.0", time: 1_790_000_100.5,
      server: SERVER.merge(server), lobby: LOBBY, memory: MEMORY.merge(memory), totals: COUNTS,
      histograms: [:application_seconds, :queue_seconds, :first_request_seconds].to_h { |name| [name, HISTOGRAM] },
      slots: Array.new(3) { |nr| { slot: nr, **COUNTS } }, processes: PROCESSES,
      services: [{ name: "jobs", ready: true, pid: 105, generation: 0 }],
      releases: RELEASES,
      exits: { worker: { "signal" => 2, "asked" => 1 }, mold: { "asked" => 1, "signal" => 0 } }, recent_exits: [],
      reforks: [{ reason: "asked", refork: true, outcome: "committed", count: 1 }],
      promotions: PROMOTIONS, ledger: LEDGER,
      fork_audit: { findings: 2, refused: 1, recent: [] } }
  end

  SERVER = {
    pid: 100, state: "serving", uptime: 100.5, started_at: 1_790_000_000.0, generation: 1, workers: 3, workers_least: 2,
    workers_most: 8, workers_ready: 3, workers_busy: 1, utilization: 0.25, requests_waiting: 4, unsafe_routes: [],
    monitor_beat_age: 0.2, ruby: "ruby \"3\"", directory: "/srv",
    listeners: [{ name: "127.0.0.1:80", queue: 4, backlog: 1024 },
                { name: "C:\\a\n", queue: nil, backlog: nil }]
  }.freeze
  LOBBY = {
    connections: 9, idle: 7, waiting: 1, held_back: 0, held_route: nil, full: false, paused: false, beat_age: 0.5,
    accepted: 20, requests: 70, handshakes: 0, answered: 60, retried: 1, client_gone: 2, slow_readers: 0, evicted: 0,
    spoilt: 0, takeovers: 1, buffered_bytes: 0, file_bytes: 0, log_lines_dropped: 0, bytes_received: 7000,
    bytes_sent: 70_000,
    refused: [{ status: "503", cause: "queue_timeout", count: 2 }]
  }.freeze
  MEMORY = { pss: 300, private: 100, rss: 900, saved: 600, total: 10_000, available: 5000, measured_age: 1.5 }.freeze
  COUNTS = {
    requests: 7, responses: { "2xx" => 6, "5xx" => 1 }, refused: 1, dropped_headers: 0, timeouts: 1, hijacked: 0,
    bytes_received: 700, bytes_sent: 7000, busy_seconds: 1.5, gc_seconds: 0.25, gc_runs: 3, cpu_seconds: 1.25
  }.freeze
  HISTOGRAM = { le: [0.1, 0.125, 0.15, 0.175, 0.2], counts: [1, 2, 0, 0, 3, 4], sum: 9.5, count: 10, p50: 0.2 }.freeze
  PROCESSES = [
    { role: "mold", slot: nil, generation: 1, pid: 101, state: "idle", age: 9.0, request_age: nil },
    { role: "worker", slot: 0, generation: 1, pid: 102, state: "busy", age: 8.0, request_age: 2.5, in_flight: true },
    { role: "worker", slot: 1, generation: 0, pid: 103, state: "idle", age: 90.0, request_age: nil },
    { role: "worker", slot: 2, generation: 1, pid: 104, state: "starting", age: 0.1, request_age: nil }
  ].freeze
  RELEASES = {
    running: { number: 2, revision: "4f2a", directory: "/srv", since: 1_790_000_050.0 }, roll: nil,
    rollback: { number: 1, time_left: 549.5 }, history: [],
    counts: [{ kind: "roll", outcome: "committed", count: 1 }, { kind: "roll", outcome: "given_up", count: 3 },
             { kind: "rollback", outcome: "committed", count: 0 }, { kind: "rollback", outcome: "given_up", count: 0 }]
  }.freeze
  PHASES = { fork: 0.1, prepare: 0.2, trial: nil, rollout: 0.4 }.freeze
  PROMOTIONS = [{ outcome: nil, phases: { fork: 5.0 } }, { outcome: "committed", phases: PHASES }].freeze
  LEDGER = { waste: 1000, gain_requests: 10, cost_requests: 20, due_in_requests: nil }.freeze
end
