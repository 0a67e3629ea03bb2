# frozen_string_literal: true

require "coppice/board/columns"

module Coppice
  class Board
    # Each ring of records overwrites its oldest one. `sequence` counts from 1 and comes last: it is 0 while the record
    # is written, so that a reader who finds the same number before and after has read one record.

    EXITS_KEPT = 32
    EXIT_COLUMNS = Column.table(
      [:sequence, :monitor, "its number; 0 while it is written"],
      [:time_ms, :monitor, "Unix time"],
      [:role, :monitor, "the number of the role in Roles"],
      [:nr, :monitor, "the slot of a worker; -1 for others"],
      [:service_name, :monitor, "of a service, or empty", 4],
      [:generation, :monitor, "counts promotions"],
      [:pid, :monitor, "0 when it was never forked"],
      [:cause, :monitor, "its place in EXIT_CAUSES"],
      [:status, :monitor, "exit status; -1 without one"],
      [:signal, :monitor, "number of the signal that killed it; 0 without one"],
      [:requests, :monitor, "requests served"],
      [:age_ms, :monitor, "since its fork; -1 when unknown"],
      [:request_age_ms, :monitor, "of the request in flight; -1 without one"],
      [:peak_kib, :monitor, "largest resident size; -1 when unknown"],
      [:request, :monitor, "the request in flight, or empty", 16]
    )

    PROMOTIONS_KEPT = 64
    # Durations are -1 until their phase has ended.
    PROMOTION_COLUMNS = Column.table(
      [:sequence, :monitor, "its number; 0 while it is written"],
      [:time_ms, :monitor, "Unix time of the start"],
      [:generation, :monitor, "of the new mold"],
      [:reason, :monitor, "its place in REFORK_REASONS"],
      [:outcome, :monitor, "0 while it runs, then 1 + its place in REFORK_OUTCOMES"],
      [:template_nr, :monitor, "slot of the worker that was copied; -1 for a cold mold"],
      [:fork_us, :monitor, "until the new mold's pid was known"],
      [:prepare_us, :monitor, "until the new mold could fork"],
      [:trial_us, :monitor, "until it was committed: its first worker was ready"],
      [:rollout_us, :monitor, "until it served every slot"],
      [:workers, :monitor, "number of workers that were forked from it by the end of the rollout"],
      [:private_before_kib, :monitor, "private memory of all workers at the start"],
      [:private_after_kib, :monitor, "the same at the end of the rollout"],
      [:first_request_us, :monitor, "median of its workers' first requests; 0 while unknown"],
      [:median_us, :monitor, "median of all requests of its workers; 0 while unknown"]
    )

    RELEASES_KEPT = 16
    # The start of the server, and each roll and rollback that was asked for.
    RELEASE_COLUMNS = Column.table(
      [:sequence, :monitor, "its number; 0 while it is written"],
      [:time_ms, :monitor, "Unix time when it was asked for"],
      [:kind, :monitor, "its place in ROLL_KINDS"],
      [:outcome, :monitor, "0 while it is under way, then 1 + its place in ROLL_OUTCOMES"],
      [:number, :monitor, "of the release; 0 as long as its directory is not checked"],
      [:generation, :monitor, "of its mold, once that is committed"],
      [:decided_us, :monitor, "until it was committed or given up; -1 before"],
      [:canary_wanted, :monitor, "requests that its first worker is to serve before it is judged; 0 without a canary"],
      [:canary_requests, :monitor, "served by its first worker before it was judged"],
      [:canary_failed, :monitor, "of these, those that failed"],
      [:revision, :monitor, "of the release, as its deployment has noted it; or the name of its directory", 5],
      [:asked_by, :monitor, "a signal, or a user and a process", 8],
      [:directory, :monitor, "of the release", 32],
      [:reason, :monitor, "why it was given up; or empty", 32]
    )

    FINDINGS_KEPT = 32
    # What the fork audit has found, each cause once.
    FINDING_COLUMNS = Column.table(
      [:sequence, :monitor, "its number; 0 while it is written"],
      [:time_ms, :monitor, "Unix time"],
      [:kind, :monitor, "its place in ForkSafety::Finding::KINDS"],
      [:generation, :monitor, "of the process that was audited"],
      [:owner, :monitor, "what it is and where it comes from", 16]
    )

    # What refork_after :auto last found.
    LEDGER_COLUMNS = Column.table(
      [:judgements, :monitor, "number of times it was judged; 0 means never"],
      [:waste_kib, :monitor, "growth of private memory since the workers' forks"],
      [:rebuilt_kib, :monitor, "that the next mold would hold in addition: made before a worker is ready, on average"],
      [:total_kib, :monitor, "memory of the server"],
      [:gain_requests, :monitor, "what a refork saves"],
      [:cost_requests, :monitor, "what it costs"],
      [:headroom_permille, :monitor, "memory that is left, relative to memory in use: the cost is multiplied by it"],
      [:served, :monitor, "requests served by this generation"],
      [:growth_bytes, :monitor, "of private memory for each request"],
      [:due_in_requests, :monitor, "estimate; -1 when unknown"],
      [:resting_ms, :monitor, "the rest of the pause after the last refork; -1 without one"]
    )

    # The last hour: sums over all processes, one record every two seconds.
    MOMENT_SECONDS = 2.0
    MOMENTS_KEPT = 1800
    MOMENT_COUNTS = COUNT_COLUMNS.reject { |column| column.name == :first_request_us }.freeze # it is the last one
    MOMENT_COLUMNS = (Column.table(
      [:sequence, :monitor, "its number; 0 while it is written"],
      [:time_ms, :monitor, "Unix time"],
      [:generation, :monitor, "the committed generation"],
      [:workers_wanted, :monitor, "number of slots"],
      [:workers_ready, :monitor, "workers that serve"],
      [:workers_busy, :monitor, "workers with a request in flight"],
      [:requests_waiting, :monitor, "connections in the listeners' queues, and requests in the lobby; -1 when unknown"],
      [:lobby_refused, :monitor, "requests that the lobby has answered itself"],
      [:lobby_errors, :monitor, "those of them that are errors of the server: 5xx but for 501 and 505"],
      [:in_flight_us, :monitor, "age of the requests in flight, summed: what application_us does not count yet"],
      [:rss_kib, :monitor, "as last measured, of all processes"],
      [:pss_kib, :monitor, "the same, shared pages divided"],
      [:private_kib, :monitor, "the same, without shared pages"]
    ) + MOMENT_COUNTS).freeze
  end
end
