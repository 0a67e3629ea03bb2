# frozen_string_literal: true

require "coppice/memory/kinds"
require "coppice/memory/pagemap"
require "coppice/memory/smaps"

module Coppice
  module Memory
    # Of a stretch of absent pages so many are kept in an AddressSpace.
    LONGEST_GAP = 64

    # The pages of one process by kind of mapping, in the order of their addresses, each as :private, :shared, :swapped or
    # :absent. Long stretches of absent pages are cut short: they are only addresses.
    AddressSpace = Struct.new(:measurement, :pages, keyword_init: true) do
      # nil when the process has ended meanwhile.
      #: (ProcessMemory) -> AddressSpace?
      def self.of(measurement)
        Pagemap.open(measurement.pid) do |states|
          kinds = Kinds.new(Smaps.of(measurement.pid)).to_h
          pages = kinds.transform_values { |found| found.select(&:touched?).flat_map { |mapping| shortened(states.call(mapping)) } }
          new(measurement: measurement, pages: pages)
        end
      rescue Errno::ENOENT, Errno::ESRCH, EOFError # the last one from a file that was open already
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
