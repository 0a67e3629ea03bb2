# frozen_string_literal: true

require "coppice/board"
require "coppice/memory/process_memory"

module Coppice
  module Memory
    # What all processes of a running server use at one moment: the monitor, then molds, the service worker and the workers.
    class Tree
      ORDER = [:monitor, :mold, :service, :worker].freeze

      # Measures them, one after the other: processes that end meanwhile are left out.
      #: (Board) -> Tree
      def self.of(board)
        monitor = { pid: board.monitor_pid, role: :monitor }
        facts = [monitor, *board.rows.map { |row| facts(row) }]
        new(facts.filter_map { |fact| ProcessMemory.of(**fact) })
      end

      # A mold's memory is private when it is ready and becomes shared as it forks: no growth to speak of.
      def self.facts(row)
        role = row.role_name
        { pid: row.pid, role: role, nr: (row.nr unless row.nr.negative?), generation: row.generation,
          requests: (row.requests if role == :worker), private_at_start: role == :mold ? 0 : row.private_at_start_kib }
      end
      private_class_method :facts

      attr_reader :processes #: Array[ProcessMemory]

      #: (Array[ProcessMemory]) -> void
      def initialize(processes)
        @processes = processes.sort_by { |process| [ORDER.index(process.role), process.nr || 0, process.pid] }
      end

      # The sum of all PSS is what the tree takes of the machine's memory: each shared page counts once.
      def total = @total ||= Rollup.sum(processes.map(&:sizes)) #: () -> Rollup

      # How much more it would be if nothing were shared, in KiB.
      #: () -> Integer
      def saved = total.rss - total.pss

      # For programs: docs/memory.md lists the keys.
      #: () -> Hash[Symbol, untyped]
      def to_h
        { processes: processes.map(&:to_h),
          total: { pss_kib: total.pss, rss_kib: total.rss, uss_kib: total.private, swap_kib: total.swap, saved_kib: saved } }
      end
    end
  end
end
