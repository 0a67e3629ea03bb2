# frozen_string_literal: true

require "coppice/memory/kinds"
require "coppice/memory/rollup"
require "coppice/memory/smaps"

module Coppice
  module Memory
    # One process of a family and what it uses, in KiB. `kinds` has the sums over the mappings of each kind. `growth` is by
    # how much its private memory has grown since it was forked, nil when it has not measured itself yet.
    ProcessMemory = Struct.new(:pid, :role, :nr, :generation, :requests, :sizes, :kinds, :growth, keyword_init: true) do
      # nil when the process has ended meanwhile.
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
        Kinds.new(mappings).to_h.transform_values { |found| Rollup.sum(found.map(&:sizes)) }
      end
      private_class_method :sums

      # As the process list has it.
      #: () -> String
      def name
        place = nr ? "#{role}[#{nr}]" : role.to_s
        generation ? "#{place} (gen #{generation})" : place
      end

      # For programs.
      #: () -> Hash[Symbol, untyped]
      def to_h
        { pid: pid, role: role, nr: nr, generation: generation, requests: requests, rss_kib: sizes.rss, pss_kib: sizes.pss,
          uss_kib: sizes.private, shared_kib: sizes.shared, swap_kib: sizes.swap, growth_kib: growth,
          kinds: kinds.transform_values { |sum| { rss_kib: sum.rss, pss_kib: sum.pss, uss_kib: sum.private, shared_kib: sum.shared } } }
      end
    end
  end
end
