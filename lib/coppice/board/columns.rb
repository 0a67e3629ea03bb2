# frozen_string_literal: true

require "coppice/board/column"
require "coppice/coppice_ext"

module Coppice
  class Board
    # How often an idle worker notes the time in `seen_ms`.
    HEARTBEAT_SECONDS = 5

    # How long a loop of the lobby may go without noting the time before the monitor kills it. A loop notes it every two
    # seconds, but a disk that takes no bytes of a body may hold it up.
    LOOP_LIMIT_SECONDS = 10.0

    # Workers of this many slots have totals of their own. The last record of the region is for all other processes.
    SLOT_COUNT = 1024

    # Time between two looks of the monitor at a new mold's first worker.
    TRIAL_LOOK_SECONDS = 0.1

    # The place of 5xx in the column `responses`.
    SERVER_ERRORS = 4

    SERVER_STATES = %w[booting serving stopping].freeze
    REFORK_REASONS = %w[requests auto asked mold_lost boot warmed_up growth roll mold_needed].freeze
    # Reasons of promotions that are not reforks: those of a cold mold, and a roll, which is noted as such.
    NO_REFORKS = %w[boot warmed_up roll].freeze
    ROLL_KINDS = %w[start roll rollback].freeze
    ROLL_OUTCOMES = %w[committed given_up].freeze
    COUNTED_ROLLS = (ROLL_KINDS - %w[start]).product(ROLL_OUTCOMES).freeze
    REFORK_OUTCOMES = %w[committed abandoned].freeze
    EXIT_CAUSES = %w[
      asked exited_by_itself timeout failed signal out_of_memory vanished never_forked
      request_timeout spawn_timeout stop_timeout unresponsive shutdown client_gone
      guest_timeout spoilt_ring lost_seat other
    ].freeze

    EXIT_ROLES = 8 # room for the roles of Roles
    EXIT_CAUSES_ROOM = 24

    SERVER_COLUMNS = Column.table(
      [:monitor_pid, :monitor, "the parent of all other processes"],
      [:workers_count, :monitor, "number of workers wanted"],
      [:workers_least, :monitor, "the least that there may be: workers_count, unless the number follows the load"],
      [:workers_most, :monitor, "the same, the most"],
      [:generation, :monitor, "the committed generation"],
      [:shutting_down, :monitor, "1 once the server was told to stop"],
      [:log_level, :monitor, "one more than the number of the lowest level that is logged; 0: as configured"],
      [:rows_count, :monitor, "number of rows in use: all of them lie below this one"],
      [:audit_findings, :monitor, "what fork audits have found, counted again in each generation"],
      [:refused_commits, :monitor, "molds abandoned for what the fork audit has found"],
      [:findings_count, :monitor, "number of findings noted: the sequence of the last record"],
      [:slots_count, :monitor, "number of slots that had a worker: all of them lie below this one"],
      [:folds, :monitor, "odd while the counts of an exited process are added to those of its slot"],
      [:state, :monitor, "its place in SERVER_STATES"],
      [:started_ms, :monitor, "Unix time: when the server was started"],
      [:beat_ms, :monitor, "monotonic: when the monitor's loop last turned"],
      [:exits_count, :monitor, "number of exits noted: the sequence of the last record"],
      [:promotions_count, :monitor, "number of promotions noted: the sequence of the last record"],
      [:moments_count, :monitor, "number of moments noted: the sequence of the last record"],
      [:version, :monitor, "the version of Coppice", 4],
      [:ruby, :monitor, "RUBY_DESCRIPTION", 16],
      [:directory, :monitor, "where the server was started", 32],
      [:next_release, :monitor, "the name of the directory where a roll finds the next release; or empty", 32],
      [:release_number, :monitor, "the committed release of the application"],
      [:releases_count, :monitor, "number of rolls noted: the sequence of the last record"],
      [:trial_watched, :monitor, "1 while a new mold's first worker has to prove itself with clients"],
      [:rollback_ms, :monitor, "monotonic: when the kept mold of the release before exits; 0 without one"],
      [:services, :monitor, "names of the services that there should be, with spaces; `service` for the service worker",
       64],
      [:unsafe_routes, :monitor, "routes whose requests make workers unsafe to fork, and by what, a line each", 128],
      [:listeners, :monitor, "a line for each: backlog, inodes of its sockets with commas, name", 512],
      [:exits, :monitor, "by role and cause: EXIT_CAUSES_ROOM for each role", EXIT_ROLES * EXIT_CAUSES_ROOM, :numbers],
      [:reforks, :monitor, "by reason and outcome", REFORK_REASONS.size * REFORK_OUTCOMES.size, :numbers],
      [:rolls, :monitor, "by kind and outcome: COUNTED_ROLLS", COUNTED_ROLLS.size, :numbers]
    )

    # What a process counts for the totals of the server. When the process is reaped its counts are added to those of
    # its slot, so that no total ever goes back. A worker counts from the moment when it is ready. All are sums since
    # the fork; a histogram is the sum of its values, then its buckets.
    COUNT_COLUMNS = Column.table(
      [:responses, :process, "responses begun, by the first digit of their status: 1 to 5", 5, :numbers],
      [:refused, :process, "requests that the process answered itself: malformed, too large or too slow"],
      [:dropped_headers, :process, "headers left out of the env for the underscore in their names"],
      [:timeouts, :process, "requests past their deadline"],
      [:hijacked, :process, "connections that the application took over"],
      [:bytes_received, :process, "bytes read from clients"],
      [:bytes_sent, :process, "bytes that the kernel took for clients"],
      [:gc_us, :process, "time in garbage collections, as last measured"],
      [:gc_runs, :process, "garbage collections, as last measured"],
      [:cpu_us, :process, "CPU time as last measured; exact once the process is reaped"],
      [:application_us, :process, "from the call of the application to the end of the response", Histogram::CELLS,
       :numbers],
      [:queue_us, :process, "in the lobby, or from X-Request-Start of a trusted proxy, until the worker had the head",
       Histogram::CELLS, :numbers],
      [:first_request_us, :process, "application_us of the first client's request of each worker", Histogram::CELLS,
       :numbers]
    )

    # A row belongs to the monitor until the process is spawned, then to the process, and to the monitor again once the
    # process is reaped.
    ROW_COLUMNS = Column.table(
      [:role, :monitor, "the number of the role in Roles; 0 means the row is free"],
      [:nr, :monitor, "the slot of a worker; -1 for others"],
      [:service_name, :monitor, "of a service, or empty", 4],
      [:generation, :monitor, "counts promotions"],
      [:release_number, :monitor, "the release whose code it runs; 0 for none"],
      [:parent_pid, :monitor, "the process that was asked to fork it; 0 for one that the monitor spawned"],
      [:forked_ms, :monitor, "monotonic: when its pid was known"],
      [:leaving, :monitor, "1 once it was told to exit"],
      [:handshakes_path, :process, "of a mold: where the application has WebSockets for a service, or empty", 8],
      [:client_uid, :monitor, "of a guest: the user that it runs for"],
      [:client_pid, :monitor, "of a guest: the process that has asked for it; 0 when the monitor cannot see it"],
      [:guest_deadline_ms, :monitor, "monotonic: when a guest is told to exit; 0 without a limit"],
      [:pid, :process, "set once it is a direct child of the monitor"],
      [:ready, :process, "1 once it serves or can fork"],
      [:deadline_ms, :process,
       "monotonic: when the request in flight, or the work after its response, is overdue; 0 when idle"],
      [:started_ms, :process, "monotonic: when the request in flight began; 0 when idle"],
      [:waits_ms, :process, "started_ms of a request of which the application has said that it will wait"],
      [:answered_ms, :process,
       "monotonic: when the response of the request in flight had ended, if work follows it; otherwise 0"],
      [:requests, :process, "requests served since the fork"],
      [:first_us, :process, "application time of the first client's request; 0 before it"],
      [:out_of_band_ms, :process, "monotonic: when the work began that it does without a request; 0: none"],
      [:seen_ms, :process,
       "monotonic: the heartbeat of a worker or the lobby, noted every few seconds, also when idle"],
      [:not_fork_safe, :process,
       "1 once it must not be promoted; or monotonic: until when it must not, for a reason that passes"],
      [:heir, :monitor, "1 for the worker that routes which make others unsafe are not given to"],
      [:timed_out, :process, "1 once a worker exits because a request, or its exit hook, is past its deadline"],
      [:hook, :process, "the hook that runs in a process that starts, forks or exits; or empty", 4],
      [:request, :process, "the request in flight, or the last one: method and path, cut to 128 bytes", 16],
      [:request_id, :process, "its X-Request-Id, cut to 40 bytes; or empty", 5],
      [:stack, :process, "of a worker past a deadline: where its main thread was, one frame a line; or empty", 96],
      [:measured_ms, :process, "monotonic: when it last measured its memory and CPU time; 0 when it never did"],
      [:measured_requests, :process, "the value of `requests` when the columns below were measured"],
      [:rss_kib, :process, "resident memory, shared pages included"],
      [:pss_kib, :process, "resident memory, each shared page divided by those that share it"],
      [:private_kib, :process, "pages that no other process shares"],
      [:private_at_start_kib, :process, "the same when it became ready: what its fork alone costs"],
      [:anonymous_kib, :process,
       "anonymous memory, shared or not, in swap or not: of a mold, what each generation passes on"],
      [:anonymous_at_start_kib, :process, "the same when it became ready"],
      [:cpu_ms, :process, "CPU time since its fork; of a cold mold since its application was loaded"],
      [:cpu_at_start_ms, :process, "the same when it became ready: the cost of its fork, hooks and rehearsal"],
      [:compiles, :process, "of a worker: 1 if YJIT was on before it was ready"],
      [:allocations, :process, "what its requests allocate, as GCProfile::Allocations writes it; or empty", 28]
    ) + COUNT_COLUMNS
    ROW_COLUMNS.freeze
  end
end
