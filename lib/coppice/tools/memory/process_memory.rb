# frozen_string_literal: true

require "coppice/tools/memory/mapping_kinds"
require "coppice/memory/smaps"

module Coppice
  module Memory
    # The memory of one process of a server, in KiB. `kinds` has the sums over the mappings of each kind, nil for one
    # that cannot be told from others. `growth` is the growth of its private memory since its fork, nil until it has
    # measured itself.
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

      #: (Array[Mapping]) -> Hash[Symbol, Rollup?]
      def self.sums(mappings)
        kinds = MappingKinds.new(mappings)
        kinds.to_h.to_h do |kind, found|
          sum = Rollup.sum(found.map(&:sizes))
          [kind, (sum unless sum.rss.zero? && kinds.hidden?(kind))]
        end
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
          growth_kib: growth, kinds: kinds.transform_values { |sum| sum && kind_to_h(sum) } }
      end

      private

      def kind_to_h(sum)
        { rss_kib: sum.rss, pss_kib: sum.pss, uss_kib: sum.private, shared_kib: sum.shared }
      end
    end
  end
end
