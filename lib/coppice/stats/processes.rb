# frozen_string_literal: true

require "coppice/board"
require "coppice/memory/rollup"
require "coppice/os/clock"
require "coppice/stats/histogram"
require "coppice/os/process_stat"
require "coppice/log/text"

module Coppice
  class Stats
    # The processes that live now, but for the monitor.
    class Processes
      # One of them, as its row and /proc told when this was made. The row is not read later: once the process is reaped
      # it is free, or another one's.
      class Entry
        attr_reader :row    #: Board::Row
        attr_reader :role   #: Symbol
        attr_reader :nr     #: Integer? -- its slot
        attr_reader :cpu_us #: Integer

        # /proc comes first: the monitor writes the CPU time to the row before /proc loses the process.
        #: (Board::Row, Integer, ?measured: bool) -> void
        def initialize(row, now_ms, measured: false)
          @row = row
          @now_ms = now_ms
          @measured = measured
          stat = OS::ProcessStat.of(row.pid)
          @cpu_us = [stat&.cpu_us.to_i, row.cpu_us].max
          @stopped = stat&.stopped? || false
          @role = row.role_name
          @nr = row.nr unless row.nr.negative?
          @ready = row.ready?
          @leaving = row.leaving == 1
          @out_of_band = row.out_of_band?
          @answered_ms = row.answered_ms # before the beginning: the work after the response may end in between
          @started_ms = row.started_ms
          @seen_ms = row.seen_ms
          @values = read
        end

        #: () -> bool
        def free? = role == :free || @values[:pid].zero?

        #: () -> bool
        def service? = role == :service

        #: () -> bool
        def worker? = role == :worker

        #: () -> bool
        def ready? = @ready

        # Whether it is a worker that takes requests: one that was told to exit takes none, also while it serves its
        # last one.
        #: () -> bool
        def serving? = worker? && ready? && !@leaving

        # Whether it is a worker with a request in flight, or with work after its response. Neither what a guest runs
        # nor out-of-band work is one.
        #: () -> bool
        def in_flight? = worker? && busy?

        # Of a worker or the lobby: seconds since its last heartbeat.
        #: () -> Float?
        def beat_age = age(@seen_ms)

        # Sizes of memory are in bytes, as the process has last measured, or as they are at the first call.
        #: () -> Hash[Symbol, untyped]
        def to_h = @to_h ||= @values.merge(measure)

        private

        def read
          { role: role.to_s, slot: nr, name: service_name, generation: row.generation,
            release: (row.release_number if row.release_number.positive?), pid: row.pid,
            parent_pid: (row.parent_pid if row.parent_pid.positive?), state: state, age: age(row.forked_ms),
            requests: row.requests, **request, fork_safe: row.fork_safe?, heir: row.heir == 1, hijacked: row.hijacked,
            **last_measured, cpu_seconds: cpu_us / 1e6,
            first_request_seconds: (row.first_us / 1e6 if row.first_us.positive?),
            median_seconds: (Histogram.new(row.application_us).percentile(0.5) if worker?), **guest }
        end

        def busy? = ready? && @started_ms.positive? && !@out_of_band

        def service_name = (Log::Text.valid(row.service_name) unless row.service_name.empty?)

        # The moment is read once, and first: the process may measure itself in between, and writes it last.
        def last_measured
          age = age(row.measured_ms)
          kib = { rss: row.rss_kib, pss: row.pss_kib, private: row.private_kib,
                  private_at_start: row.private_at_start_kib }
          { **kib.transform_values { |size| size * 1024 if age }, measured_age: age }
        end

        # Of a guest or service, whose program cannot measure itself.
        def measure
          return {} unless @measured && %i[guest service].include?(role)

          sizes = Memory::Rollup.of(@values[:pid])
          { rss: sizes.rss * 1024, pss: sizes.pss * 1024, private: sizes.private * 1024, measured_age: 0.0 }
        rescue SystemCallError # it has exited, or a sandbox hides it
          {}
        end

        def guest
          return { client_uid: nil, client_pid: nil, time_left: nil } unless role == :guest

          deadline_ms = row.guest_deadline_ms
          { client_uid: row.client_uid, client_pid: (row.client_pid if row.client_pid.positive?),
            time_left: ([deadline_ms - @now_ms, 0].max / 1000.0 if deadline_ms.positive?) }
        end

        def state
          return "leaving" if @leaving
          return "starting" unless ready?
          return "stopped" if @stopped

          busy? ? "busy" : "idle"
        end

        def request
          deadline_ms = row.deadline_ms
          answered = in_flight? && @answered_ms >= @started_ms
          { request: (Log::Text.valid(row.request) if @started_ms.positive?), in_flight: in_flight?,
            request_age: age(@started_ms), answered_age: (age(@answered_ms) if answered),
            overdue: deadline_ms.positive? && deadline_ms < @now_ms }
        end

        def age(since_ms) = since_ms.positive? ? [@now_ms - since_ms, 0].max / 1000.0 : nil
      end

      # Reads the board: call it within Board#consistent. A row may be free although the board has just found it used,
      # if the monitor stands still in the middle of a fold.
      #: (Board, ?measure_guests: bool) -> void
      def initialize(board, measure_guests: false)
        now_ms = OS::Clock.now_ms
        @entries = board.rows.map { |row| Entry.new(row, now_ms, measured: measure_guests) }.reject(&:free?)
      end

      #: (Integer) -> Array[Entry]
      def of_slot(number) = @entries.select { |entry| entry.worker? && entry.nr == number }

      # Processes that count in no slot below this one.
      #: (Integer) -> Array[Entry]
      def beyond_slots(count) = @entries.reject { |entry| entry.worker? && entry.nr&.<(count) }

      #: () -> Integer
      def ready_workers = @entries.count(&:serving?)

      # How many workers have a request in flight, or work after its response.
      #: () -> Integer
      def busy_workers = @entries.count { |entry| entry.serving? && entry.in_flight? }

      #: () -> Entry?
      def lobby = @entries.find { |entry| entry.role == :lobby }

      # Those with these names, `service` being the service worker; also one that does not exist at this moment.
      #: (Array[String]) -> Array[Hash[Symbol, untyped]]
      def services(names)
        names.map do |name|
          entry = @entries.find { |one| one.service? && (one.to_h[:name] || "service") == name }
          pid, generation = entry.to_h.values_at(:pid, :generation)
          { name: name, ready: entry&.ready? || false, pid: pid, generation: generation }
        end
      end

      # Sums in bytes over all processes that have measured themselves.
      #: () -> Hash[Symbol, untyped]
      def memory
        all = to_a.select { |process| process[:measured_age] }
        sums = [:pss, :private, :rss].to_h { |name| [name, all.sum { |process| process[name] }] }
        { **sums, saved: sums[:rss] - sums[:pss], measured_age: all.map { |process| process[:measured_age] }.max }
      end

      #: () -> Array[Hash[Symbol, untyped]]
      def to_a = @entries.map(&:to_h)
    end
  end
end
