# frozen_string_literal: true

module Coppice
  class Board
    # One gauge: its name, the one process that writes it, its meaning, and its number of cells: more than one for a
    # text.
    Column = Struct.new(:name, :writer, :meaning, :cells, keyword_init: true) do
      def self.table(*rows)
        columns = rows.map do |name, writer, meaning, cells = 1|
          new(name: name, writer: writer, meaning: meaning, cells: cells).freeze
        end
        columns.freeze
      end

      def text? = cells > 1

      # Its name and size in the board's header.
      def to_s = text? ? "#{name}:#{cells}" : name.to_s
    end

    # How often an idle worker notes the time in `seen_ms`.
    HEARTBEAT_SECONDS = 5

    SERVER_COLUMNS = Column.table(
      [:monitor_pid, :monitor, "the parent of all other processes"],
      [:workers_count, :monitor, "number of workers wanted"],
      [:generation, :monitor, "the committed generation"],
      [:shutting_down, :monitor, "1 once the server was told to stop"],
      [:rows_count, :monitor, "number of rows in use: all of them lie below this one"]
    )

    # A row belongs to the monitor until the process is spawned, then to the process, and to the monitor again once the
    # process is reaped.
    ROW_COLUMNS = Column.table(
      [:role, :monitor, "the number of the role in Roles; 0 means the row is free"],
      [:nr, :monitor, "the slot of a worker; -1 for others"],
      [:generation, :monitor, "counts promotions"],
      [:pid, :process, "set once it is a direct child of the monitor"],
      [:ready, :process, "1 once it serves or can fork"],
      [:deadline_ms, :process, "monotonic: when the request in flight is overdue; 0 when idle"],
      [:started_ms, :process, "monotonic: when the request in flight began; 0 when idle"],
      [:requests, :process, "requests served since the fork"],
      [:seen_ms, :process, "monotonic: when a worker last looked at its channel, which it does every few seconds"],
      [:not_fork_safe, :process, "1 once it must not be promoted"],
      [:timed_out, :process, "1 once a worker exits because a request, or its exit hook, is past its deadline"],
      [:refused, :process, "requests that the server answered itself: malformed, too large or too slow"],
      [:dropped_headers, :process, "headers left out of the env for the underscore in their names"],
      [:request, :process, "the request in flight, or the last one: method and path, cut to 128 bytes", 16],
      [:measured_ms, :process, "monotonic: when it last measured its memory and CPU time; 0 when it never did"],
      [:measured_requests, :process, "the value of `requests` when the columns below were measured"],
      [:rss_kib, :process, "resident memory, shared pages included"],
      [:pss_kib, :process, "resident memory, each shared page divided by those that share it"],
      [:private_kib, :process, "pages that no other process shares"],
      [:private_at_start_kib, :process, "the same when it became ready: what its fork alone costs"],
      [:anonymous_kib, :process, "anonymous memory, shared or not: of a mold, what each generation passes on"],
      [:cpu_ms, :process, "CPU time since its fork; of a cold mold since its application was loaded"],
      [:cpu_at_start_ms, :process, "the same when it became ready: the cost of its fork, hooks and rehearsal"],
      [:compiles, :process, "of a worker: 1 if YJIT was on before it was ready"],
      [:allocations, :process, "what its requests allocate, as GCProfile::Allocations writes it; or empty", 24]
    )
  end
end
