# frozen_string_literal: true

require "coppice/board"
require "coppice/memory/mapping_kinds"
require "coppice/memory/smaps"

module Coppice
  module Memory
    # The memory of all processes of a running server: the monitor, then the lobby, the observer, molds, services,
    # the workers and guests.
    class ServerMemory
      ORDER = [:monitor, :lobby, :observer, :mold, :service, :worker, :guest].freeze

      # Measures one process after the other. A process that exits meanwhile is left out.
      #: (Board) -> ServerMemory
      def self.of(board)
        monitor = { pid: board.monitor_pid, role: :monitor }
        facts = [monitor, *board.rows.map { |row| facts(row) }]
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
        @processes = processes.sort_by { |process| [ORDER.index(process.role), process.nr || 0, process.pid] }
      end

      # The sum of all PSS is the server's use of the machine's memory: each shared page counts once.
      def total = @total ||= Rollup.sum(processes.map(&:sizes)) #: () -> Rollup

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

    # The memory of one process of a server, in KiB. `kinds` has the sums over the mappings of each kind. `growth` is
    # the growth of its private memory since its fork, nil until it has measured itself.
    ProcessMemory = Struct.new(:pid, :role, :nr, :service, :generation, :requests, :sizes, :kinds, :growth,
                               keyword_init: true) do
      # nil when the process has exited meanwhile.
      #: (pid: Integer, ?private_at_start: Integer, **untyped) -> ProcessMemory?
      def self.of(pid:, private_at_start: 0, **facts)
        sizes = Rollup.of(pid)
        growth = sizes.private - private_at_start if private_at_start.positive?
        new(pid: pid, sizes: sizes, kinds: sums(Smaps.of(pid)), growth: growth, **facts).freeze
      rescue Errno::ENOENT, Errno::ESRCH
        nil
      end

      #: (Array[Mapping]) -> Hash[Symbol, Rollup]
      def self.sums(mappings)
        MappingKinds.new(mappings).to_h.transform_values { |found| Rollup.sum(found.map(&:sizes)) }
      end
      private_class_method :sums

      # The name as the process list shows it.
      #: () -> String
      def name
        place = nr || service ? "#{role}[#{nr || service}]" : role.to_s
        generation ? "#{place} (gen #{generation})" : place
      end

      # For programs.
      #: () -> Hash[Symbol, untyped]
      def to_h
        { pid: pid, role: role, nr: nr, name: service, generation: generation, requests: requests, rss_kib: sizes.rss,
          pss_kib: sizes.pss, uss_kib: sizes.private, shared_kib: sizes.shared, swap_kib: sizes.swap,
          growth_kib: growth, kinds: kinds.transform_values { |sum| kind_to_h(sum) } }
      end

      private

      def kind_to_h(sum)
        { rss_kib: sum.rss, pss_kib: sum.pss, uss_kib: sum.private, shared_kib: sum.shared }
      end
    end
  end
end
