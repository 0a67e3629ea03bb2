# frozen_string_literal: true

require "coppice/tools/memory/mapping_kinds"
require "coppice/memory/smaps"

module Coppice
  module Cold
    # A snapshot of the memory that this process shares with no other one. Right after a fork it is close to zero. What
    # a play adds, it adds in each worker.
    class PrivateMemory
      # Only reads the file. It is parsed after the plays, because parsing takes memory.
      def initialize
        @text = File.binread("/proc/self/smaps")
      end

      # The growth of each kind since an earlier snapshot, in KiB. Kinds that did not grow are left out.
      #: (PrivateMemory) -> Hash[Symbol, Integer]
      def growth_since(earlier)
        before = earlier.by_kind
        by_kind.to_h { |kind, kib| [kind, kib - before.fetch(kind)] }.reject { |_, kib| kib.zero? }
      end

      protected

      def by_kind
        @by_kind ||= Memory::MappingKinds.new(Memory::Smaps.parse(@text)).to_h.transform_values do |mappings|
          mappings.sum { |mapping| mapping.sizes.private }
        end
      end
    end
  end
end
