# frozen_string_literal: true

require "etc"
require "coppice/memory/mapping_kinds"
require "coppice/memory/smaps"

module Coppice
  module Memory
    # What the kernel says of each page of a mapping (proc(5), /proc/PID/pagemap). Where a page lies in the machine's
    # memory is told to root only; whether this process is alone with it, to whoever may read the file: the same user.
    module Pagemap
      ENTRY_BYTES = 8
      PAGE_BYTES = Etc.sysconf(Etc::SC_PAGESIZE)

      # The flags lie in an entry's highest byte.
      PRESENT = 0x80
      SWAPPED = 0x40
      EXCLUSIVE = 0x01

      # For each value of that byte.
      STATES = Array.new(256) do |flags|
        if flags.anybits?(PRESENT) then flags.anybits?(EXCLUSIVE) ? :private : :shared
        else flags.anybits?(SWAPPED) ? :swapped : :absent
        end
      end.freeze

      # Yields a function from mappings to the states of their pages. Raises what File.open raises.
      #: [T] (Integer) { (^(Mapping) -> Array[Symbol]) -> T } -> T
      def self.open(pid)
        File.open("/proc/#{pid}/pagemap", "rb") do |file|
          yield lambda { |mapping|
            start, finish = [mapping.start, mapping.finish].map { |address| address / PAGE_BYTES }
            states(file.pread((finish - start) * ENTRY_BYTES, start * ENTRY_BYTES))
          }
        end
      end

      # Of packed entries. Only the highest byte of each is looked at: whole, most of them would be numbers too large
      # for one word, each an object.
      #: (String) -> Array[Symbol]
      def self.states(entries)
        (ENTRY_BYTES - 1).step(entries.bytesize - 1, ENTRY_BYTES).map { |at| STATES[entries.getbyte(at)] }
      end
    end

    # Of a stretch of absent pages so many are kept in an AddressSpace.
    LONGEST_GAP = 64

    # The pages of one process by kind of mapping, in the order of their addresses, each as :private, :shared, :swapped
    # or :absent. Long stretches of absent pages are cut short: they are only addresses.
    AddressSpace = Struct.new(:measurement, :pages, keyword_init: true) do
      # nil when the process has ended meanwhile.
      #: (ProcessMemory) -> AddressSpace?
      def self.of(measurement)
        Pagemap.open(measurement.pid) do |states|
          kinds = MappingKinds.new(Smaps.of(measurement.pid)).to_h
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
