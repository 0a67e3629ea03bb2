# frozen_string_literal: true

require "coppice/memory/kinds"
require "coppice/memory/smaps"

module Coppice
  module Cold
    # The memory of this process that no other one shares, at one instant. Right after a fork there is next to none; what
    # a play adds is what each worker would pay for by itself.
    class PrivateMemory
      # Only reads: to understand what the kernel says takes memory, and has time until the plays are over.
      def initialize
        @text = File.binread("/proc/self/smaps")
      end

      # By how much each kind has grown since an earlier instant, in KiB. Kinds that stayed are left out.
      #: (PrivateMemory) -> Hash[Symbol, Integer]
      def growth_since(earlier)
        before = earlier.by_kind
        by_kind.to_h { |kind, kib| [kind, kib - before.fetch(kind)] }.reject { |_, kib| kib.zero? }
      end

      protected

      def by_kind
        @by_kind ||= Memory::Kinds.new(Memory::Smaps.parse(@text)).to_h.transform_values do |mappings|
          mappings.sum { |mapping| mapping.sizes.private }
        end
      end
    end
  end
end
