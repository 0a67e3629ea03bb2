# frozen_string_literal: true

require "coppice/board"
require "coppice/tools/memory/process_memory"

module Coppice
  module Memory
    # The memory of all processes of a running server: the monitor, then the lobby, the observer, molds, services,
    # the workers and guests.
    class ServerMemory
      APART = [:monitor, :lobby, :observer].freeze # they do not measure themselves
      ORDER = [*APART, :mold, :service, :worker, :guest].freeze # other roles come last

      # Measures one process after the other. A process that exits meanwhile is left out. With `worker_processes 0`
      # there is no monitor: that process is worker 0.
      #: (Board) -> ServerMemory
      def self.of(board)
        facts = board.rows.map { |row| facts(row) }
        monitor = { pid: board.monitor_pid, role: :monitor }
        facts << monitor if facts.none? { |fact| fact[:pid] == monitor[:pid] }
        new(facts.filter_map { |fact| ProcessMemory.of(**fact) })
      end

      # A mold has no growth to report: its memory is private when it is ready, and becomes shared when it forks.
      def self.facts(row)
        role = row.role_name
        { pid: row.pid, role: role, nr: (row.nr unless row.nr.negative?),
          service: (row.service_name unless row.service_name.empty?), generation: row.generation,
          requests: (row.requests if role == :worker), private_at_start: role == :mold ? 0 : row.private_at_start_kib }
      end
      private_class_method :facts

      attr_reader :processes #: Array[ProcessMemory]

      #: (Array[ProcessMemory]) -> void
      def initialize(processes)
        place = ->(process) { ORDER.index(process.role) || ORDER.size }
        @processes = processes.sort_by { |process| [place.call(process), process.nr || 0, process.pid] }
      end

      # The sum of all PSS is the server's use of the machine's memory: each shared page counts once.
      def total = @total ||= Rollup.sum(processes.map(&:sizes)) #: () -> Rollup

      # The PSS of what measures itself, in KiB: what `coppice status`, `coppice top` and the dashboard call the memory.
      #: () -> Integer
      def pss_of_forks = processes.reject { |process| APART.include?(process.role) }.sum { |process| process.sizes.pss }

      # The additional memory that would be used if nothing were shared, in KiB.
      #: () -> Integer
      def saved = total.rss - total.pss

      # For programs: docs/memory.md lists the keys.
      #: () -> Hash[Symbol, untyped]
      def to_h
        { processes: processes.map(&:to_h),
          total: { pss_kib: total.pss, rss_kib: total.rss, uss_kib: total.private, swap_kib: total.swap,
                   saved_kib: saved } }
      end
    end
  end
end
