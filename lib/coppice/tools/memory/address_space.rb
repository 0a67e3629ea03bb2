# frozen_string_literal: true

require "coppice/tools/memory/mapping_kinds"
require "coppice/tools/memory/pagemap"
require "coppice/memory/smaps"

module Coppice
  module Memory
    # The pages of one process by kind of mapping, in the order of their addresses, each as :private, :shared, :swapped
    # or :absent. Long runs of absent pages are cut short: they use no memory.
    AddressSpace = Struct.new(:measurement, :pages, keyword_init: true)

    class AddressSpace
      LONGEST_GAP = 64 # consecutive absent pages that are kept

      # nil when the process has exited meanwhile.
      #: (ProcessMemory) -> AddressSpace?
      def self.of(measurement)
        Pagemap.open(measurement.pid) do |states|
          kinds = MappingKinds.new(Smaps.of(measurement.pid)).to_h
          pages = kinds.transform_values do |mappings|
            mappings.select(&:touched?).flat_map { |mapping| shortened(states.call(mapping)) }
          end
          new(measurement: measurement, pages: pages)
        end
      rescue Errno::ENOENT, Errno::ESRCH, EOFError # EOFError: from a file that was open already
        nil
      end

      #: (Array[Symbol]) -> Array[Symbol]
      def self.shortened(states)
        states.chunk_while { |one, other| one == other }.flat_map do |run|
          run.first == :absent ? run.first(LONGEST_GAP) : run
        end
      end

      #: () -> Integer
      def size = pages.values.sum(&:size)
    end
  end
end
