# frozen_string_literal: true

require "coppice/observer/metric"

module Coppice
  class Observer
    # METRICS has all metrics of /metrics, and is the only place where one is described: the text, docs/metrics.md and
    # the tests are made from it. The label of what is counted for each worker is its slot, never pid or generation: a
    # series lasts as long as the server. A value that Stats does not have yet comes from a column (board/columns.rb),
    # and of the lobby also from ext/coppice/lobby/memory/counters.h.
    metric = lambda do |name, type, from, help, **more|
      Metric.new(name: :"coppice_#{name}", type: type, from: from, help: help, **more).freeze
    end
    last_phases = lambda do |promotions|
      last = promotions.find { |promotion| promotion[:outcome] == "committed" }
      last && last[:phases].transform_keys { |phase| { phase: phase } }
    end
    release_info = lambda do |release|
      { { number: release[:number], revision: release[:revision] } => 1 } if release
    end

    flag = ->(holds) { holds ? 1 : 0 }
    unanswered = ->(process) { process[:in_flight] && process[:answered_age].nil? }
    oldest = ->(processes) { processes.select(&unanswered).filter_map { |one| one[:request_age] }.max || 0 }

    METRICS = [
      Metric.new(name: :coppice, type: :info, from: "", added: [:version, :ruby],
        value: ->(stats) { { { version: stats[:version], ruby: stats[:server][:ruby] } => 1 } },
        help: "Version of Coppice, and the Ruby that runs it.").freeze,
      Metric.new(name: :process_start_time_seconds, type: :gauge, unit: :seconds, from: "server.started_at",
        help: "Unix time at which the server was started.").freeze,
      metric.call(:serving, :gauge, "server.state", "1 while the server serves, 0 while it boots or stops.",
        value: ->(state) { state == "serving" ? 1 : 0 }),
      metric.call(:monitor_beat_age_seconds, :gauge, "server.monitor_beat_age",
        "Time since the monitor's loop last turned: above 10 it is stopped or hangs.", unit: :seconds),
      metric.call(:generation, :gauge, "server.generation", "The generation that serves."),
      metric.call(:workers_wanted, :gauge, "server.workers", "Workers that there should be."),
      metric.call(:workers_most, :gauge, "server.workers_most", "Upper end of the range of workers."),
      metric.call(:workers_ready, :gauge, "server.workers_ready", "Workers that serve."),
      metric.call(:workers_busy, :gauge, "server.workers_busy", "Workers with a request in flight."),
      metric.call(:requests_waiting, :gauge, "server.requests_waiting",
        "Clients in the queues of listeners and requests in the lobby that no worker has taken yet."),
      metric.call(:utilization_ratio, :gauge, "server.utilization",
        "Share of the last 16 seconds in which workers were busy.",
        unit: :ratio),
      metric.call(:service_ready, :gauge, "services[service=name].ready",
        "1 while the service process runs, else 0.", value: flag),
      metric.call(:listener_waiting, :gauge, "server.listeners[listener=name].queue",
        "Clients that wait in the queues of a listener."),
      metric.call(:listener_backlog, :gauge, "server.listeners[listener=name].backlog",
        "Clients that may wait in the queues of a listener."),
      metric.call(:oldest_request_seconds, :gauge, "processes",
        "Age of the oldest unanswered request; 0 without one.", unit: :seconds, value: oldest),

      metric.call(:lobby_connections, :gauge, "lobby.connections", "Open connections of the lobby."),
      metric.call(:lobby_idle_connections, :gauge, "lobby.idle", "Open connections without a request."),
      metric.call(:lobby_waiting, :gauge, "lobby.waiting", "Requests in the lobby that no worker has taken yet."),
      metric.call(:lobby_held_back, :gauge, "lobby.held_back",
        "Requests that wait because their routes are slow, as others come first. The lobby's log names the routes."),
      metric.call(:lobby_full, :gauge, "lobby.full",
        "1 while the lobby would refuse one more request (max_waiting), else 0.", value: flag),
      metric.call(:lobby_paused, :gauge, "lobby.paused",
        "1 while the lobby cannot accept connections (its log says why), else 0.", value: flag),
      metric.call(:lobby_accepted, :counter, "lobby.accepted", "Connections that the lobby has accepted."),
      metric.call(:lobby_requests, :counter, "lobby.requests", "Requests that the lobby has given to the queue."),
      metric.call(:lobby_refused, :counter, "lobby.refused[status,cause].count",
        "Requests that the lobby answered itself: not in coppice_responses_total."),
      metric.call(:lobby_retried, :counter, "lobby.retried",
        "Requests repeated by another worker, as theirs was lost."),
      metric.call(:lobby_handshakes, :counter, "lobby.handshakes",
        "Handshakes of WebSockets passed to a service."),
      metric.call(:lobby_clients_gone, :counter, "lobby.client_gone",
        "Clients that left before their request was answered."),
      metric.call(:lobby_slow_readers, :counter, "lobby.slow_readers",
        "Clients cut off because they read too slowly."),
      metric.call(:lobby_evicted, :counter, "lobby.evicted", "Idle connections closed to make room."),
      metric.call(:lobby_takeovers, :counter, "lobby.takeovers",
        "Deaths of the lobby's loop that a successor survived."),
      metric.call(:lobby_received_bytes, :counter, "lobby.bytes_received",
        "Bytes that the lobby has read from clients.", unit: :bytes),
      metric.call(:lobby_sent_bytes, :counter, "lobby.bytes_sent", "Bytes that the lobby has sent to clients.",
        unit: :bytes),
      metric.call(:lobby_buffered_bytes, :gauge, "lobby.buffered_bytes", "Bytes of responses in the lobby's memory.",
        unit: :bytes),
      metric.call(:lobby_file_bytes, :gauge, "lobby.file_bytes", "Bytes of bodies and responses in the lobby's files.",
        unit: :bytes),

      metric.call(:requests, :counter, "slots[slot].requests", "Requests that the application has answered."),
      metric.call(:responses, :counter, "slots[slot].responses{status}",
        "Responses of workers by class of status. For all responses add coppice_lobby_refused_total."),
      metric.call(:requests_refused, :counter, "slots[slot].refused",
        "Requests that workers answered themselves: malformed, too large or too slow."),
      metric.call(:requests_timed_out, :counter, "slots[slot].timeouts", "Requests past their timeout."),
      metric.call(:headers_dropped, :counter, "slots[slot].dropped_headers",
        "Headers dropped for the underscore in their names."),
      metric.call(:connections_hijacked, :counter, "slots[slot].hijacked",
        "Connections that the application took over."),
      metric.call(:received_bytes, :counter, "slots[slot].bytes_received", "Bytes read from clients.", unit: :bytes),
      metric.call(:sent_bytes, :counter, "slots[slot].bytes_sent", "Bytes sent to clients.", unit: :bytes),
      metric.call(:busy_seconds, :counter, "slots[slot].busy_seconds", "Time spent in requests.", unit: :seconds),
      metric.call(:gc_seconds, :counter, "slots[slot].gc_seconds", "Time spent in garbage collection.", unit: :seconds),
      metric.call(:gc_runs, :counter, "slots[slot].gc_runs", "Garbage collections."),
      metric.call(:cpu_seconds, :counter, "slots[slot].cpu_seconds", "CPU time of workers.", unit: :seconds),

      metric.call(:application_seconds, :histogram, "histograms.application_seconds",
        "Time from the call of the application to the end of the response.", unit: :seconds),
      metric.call(:queue_seconds, :histogram, "histograms.queue_seconds",
        "Time in the lobby, or since X-Request-Start of a trusted proxy, until a worker took the request.",
        unit: :seconds),
      metric.call(:first_request_seconds, :histogram, "histograms.first_request_seconds",
        "Application time of the first request of each worker.", unit: :seconds),

      metric.call(:exits, :counter, "exits{role}{cause}", "Processes that have exited, by role and cause."),
      metric.call(:reforks, :counter, "reforks[reason,outcome].count", "Promotions, by reason and outcome."),
      metric.call(:release, :info, "releases.running", "The committed release of the application.",
        added: [:number, :revision], value: release_info),
      metric.call(:rolls, :counter, "releases.counts[kind,outcome].count", "Rolls and rollbacks that were decided."),
      metric.call(:roll_in_progress, :gauge, "releases.roll",
        "1 from the request of a roll or rollback until every worker runs its release, else 0.", value: flag),
      metric.call(:rollback_available_seconds, :gauge, "releases.rollback",
        "Time in which a rollback needs no boot; 0 when the previous mold is gone.", unit: :seconds,
        value: ->(rollback) { rollback ? rollback[:time_left] : 0 }),
      metric.call(:fork_audit_findings, :counter, "fork_audit.findings",
        "Findings of fork audits, counted again in each generation."),
      metric.call(:fork_audit_refusals, :counter, "fork_audit.refused", "Molds abandoned by fork_audit :refuse."),
      metric.call(:promotion_phase_seconds, :gauge, "promotions",
        "Duration of each phase of the last committed promotion.", unit: :seconds, added: [:phase], value: last_phases),

      metric.call(:memory_pss_bytes, :gauge, "memory.pss",
        "Memory of workers, molds, services and guests, shared pages counted once.", unit: :bytes),
      metric.call(:memory_private_bytes, :gauge, "memory.private", "Memory that no two processes share.", unit: :bytes),
      metric.call(:memory_rss_bytes, :gauge, "memory.rss",
        "Memory of workers, molds, services and guests, shared pages counted in each.", unit: :bytes),
      metric.call(:memory_saved_bytes, :gauge, "memory.saved", "Memory saved by sharing: RSS less PSS.", unit: :bytes),
      metric.call(:memory_limit_bytes, :gauge, "memory.total",
        "Memory that the server may use: the cgroup's or the machine's.", unit: :bytes),
      metric.call(:memory_available_bytes, :gauge, "memory.available",
        "Memory that is left of coppice_memory_limit_bytes.", unit: :bytes),
      metric.call(:memory_measured_age_seconds, :gauge, "memory.measured_age",
        "Age of the oldest measurement in the sums of memory.", unit: :seconds),

      metric.call(:ledger_waste_bytes, :gauge, "ledger.waste",
        "Private memory that workers have gained since their forks (refork_after :auto).", unit: :bytes),
      metric.call(:ledger_gain_requests, :gauge, "ledger.gain_requests",
        "What a refork saves, in requests (refork_after :auto)."),
      metric.call(:ledger_cost_requests, :gauge, "ledger.cost_requests",
        "What a refork costs, in requests (refork_after :auto)."),
      metric.call(:ledger_due_requests, :gauge, "ledger.due_in_requests",
        "Requests until the next refork, estimated (refork_after :auto).")
    ].freeze
  end
end
