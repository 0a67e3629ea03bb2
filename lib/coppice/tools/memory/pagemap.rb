# frozen_string_literal: true

require "etc"

module Coppice
  module Memory
    # Reads the state of each page of a mapping (proc(5), /proc/PID/pagemap). Only root sees a page's physical address;
    # any process of the same user sees whether a page is mapped exclusively.
    module Pagemap
      ENTRY_BYTES = 8
      PAGE_BYTES = Etc.sysconf(Etc::SC_PAGESIZE)

      # Flags in the highest byte of an entry.
      PRESENT = 0x80
      SWAPPED = 0x40
      EXCLUSIVE = 0x01

      # The state for each value of that byte.
      STATES = Array.new(256) do |flags|
        if flags.anybits?(PRESENT) then flags.anybits?(EXCLUSIVE) ? :private : :shared
        else flags.anybits?(SWAPPED) ? :swapped : :absent
        end
      end.freeze

      # Yields a lambda that returns the states of a mapping's pages. Raises what File.open raises.
      #: [T] (Integer) { (^(Mapping) -> Array[Symbol]) -> T } -> T
      def self.open(pid)
        File.open("/proc/#{pid}/pagemap", "rb") do |file|
          yield lambda { |mapping|
            start, finish = [mapping.start, mapping.finish].map { |address| address / PAGE_BYTES }
            states(file.pread((finish - start) * ENTRY_BYTES, start * ENTRY_BYTES))
          }
        end
      end

      # The states of packed entries. Only the highest byte of each is read: most whole entries would be too large for a
      # fixnum, so each would allocate an object.
      #: (String) -> Array[Symbol]
      def self.states(entries)
        (ENTRY_BYTES - 1).step(entries.bytesize - 1, ENTRY_BYTES).map { |at| STATES[entries.getbyte(at)] }
      end
    end
  end
end
