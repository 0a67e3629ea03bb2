# frozen_string_literal: true

module Coppice
  class Board
    # One gauge: its name, the one process that writes it, what it means, and how many cells it takes: more than one
    # for a text.
    Column = Struct.new(:name, :writer, :meaning, :cells, keyword_init: true) do
      def self.table(*rows)
        rows.map { |name, writer, meaning, cells = 1| new(name: name, writer: writer, meaning: meaning, cells: cells).freeze }.freeze
      end

      def text? = cells > 1

      # Its name and size in the board's header.
      def to_s = text? ? "#{name}:#{cells}" : name.to_s
    end

    # How often an idle worker notes the time in `seen_ms`.
    HEARTBEAT_SECONDS = 5

    SERVER_COLUMNS = Column.table(
      [:monitor_pid, :monitor, "the process that everybody is a child of"],
      [:workers_count, :monitor, "how many workers there should be"],
      [:generation, :monitor, "the committed generation"],
      [:shutting_down, :monitor, "1 once a stop was asked for"],
      [:rows_count, :monitor, "rows in use lie below this one"]
    )

    # A row is the monitor's until it spawns the process and again once that is
    # reaped; in between it is the process's own.
    ROW_COLUMNS = Column.table(
      [:role, :monitor, "see Row::ROLES; 0 means the row is free"],
      [:nr, :monitor, "the slot of a worker; -1 for others"],
      [:generation, :monitor, "counts promotions"],
      [:pid, :process, "set once it is a direct child of the monitor"],
      [:ready, :process, "1 once it serves or can fork"],
      [:deadline_ms, :process, "monotonic: when the request in flight is overdue; 0 when idle"],
      [:started_ms, :process, "monotonic: when the request in flight began; 0 when idle"],
      [:requests, :process, "requests served since the fork"],
      [:seen_ms, :process, "monotonic: when a worker last came by its channel; it does so every few seconds, served or not"],
      [:not_fork_safe, :process, "1 once it must not be promoted"],
      [:timed_out, :process, "1 once a worker ends by itself for a request, or an exit hook, that is past its deadline"],
      [:refused, :process, "requests that the server itself answered: malformed, too large or too slow"],
      [:dropped_headers, :process, "headers left out of the env for the underscore in their names"],
      [:request, :process, "the request in flight, or the last one: method and path, cut to 128 bytes", 16],
      [:measured_ms, :process, "monotonic: when it last looked at its own memory and CPU time; 0 when it never did"],
      [:measured_requests, :process, "what `requests` was then; the columns below are of the same moment"],
      [:rss_kib, :process, "resident memory, shared pages included"],
      [:pss_kib, :process, "resident memory, each shared page divided by those that share it"],
      [:private_kib, :process, "pages that nobody shares with it"],
      [:private_at_start_kib, :process, "the same when it became ready: what it owes to its fork alone"],
      [:anonymous_kib, :process, "memory that is no file's, shared or not: of a mold, what generations hand on"],
      [:cpu_ms, :process, "CPU time since its fork; of a cold mold since its application was loaded"],
      [:cpu_at_start_ms, :process, "the same when it became ready: what its fork, hooks and warm-up cost"],
      [:compiles, :process, "of a worker: 1 when YJIT was on in it before it was ready"],
      [:allocations, :process, "what its requests allocate, as GCProfile::Allocations has it; empty when it was not measured", 24]
    )
  end
end
