# frozen_string_literal: true

require "coppice/errors"

module Coppice
  module Memory
    # The kernel's sums for one process, in KiB (proc(5), /proc/PID/smaps_rollup), or those for one mapping. A plain
    # value. To read the file the kernel walks the page tables of the process, which takes some milliseconds for some
    # hundred MiB. So a process reads its own file, and only tools read that of another process.
    Rollup = Struct.new(:rss, :pss, :shared, :private, :anonymous, :swap, keyword_init: true) do
      # The sums of a process, by default of the calling one. Raises Errno::ENOENT or Errno::ESRCH when there is no such
      # process, Errno::EACCES when it is another user's.
      #: (?(Integer | String)) -> Rollup
      def self.of(pid = "self") = parse(File.read("/proc/#{pid}/smaps_rollup"))

      #: (String) -> Rollup
      def self.parse(text)
        kib = Hash.new(0)
        # Not with a pattern: each match would take memory from malloc, and each worker would copy pages for that.
        text.each_line do |line|
          name, value, unit = line.split
          kib[name.delete_suffix(":")] = Integer(value, 10) if unit == "kB"
        end
        new(rss: kib["Rss"], pss: kib["Pss"], shared: kib["Shared_Clean"] + kib["Shared_Dirty"],
          private: kib["Private_Clean"] + kib["Private_Dirty"], anonymous: kib["Anonymous"], swap: kib["Swap"]).freeze
      end

      #: (Array[Rollup]) -> Rollup
      def self.sum(rollups) = new(**members.to_h { |name| [name, rollups.sum(&name)] }).freeze
    end

    # One mapping of a process's address space, from the address `start` to before `finish`; `sizes` is a Rollup.
    # `name` is the mapped file, or the kernel's name in brackets; empty for anonymous memory without a name.
    Mapping = Struct.new(:start, :finish, :permissions, :name, :sizes, keyword_init: true) do
      #: () -> Integer
      def kib = (finish - start) / 1024

      def file? = name.start_with?("/") #: () -> bool
      def unnamed? = name.empty? #: () -> bool
      def executable? = permissions.include?("x") #: () -> bool
      def writable? = permissions.start_with?("rw") #: () -> bool

      # Whether the addresses are only reserved: they cannot be accessed.
      #: () -> bool
      def reserved? = permissions.start_with?("---")

      # Whether any of its pages is in memory or in swap.
      #: () -> bool
      def touched? = touched_kib.positive?

      #: () -> Integer
      def touched_kib = sizes.rss + sizes.swap

      # Whether it starts and ends at multiples of this number of bytes.
      #: (Integer) -> bool
      def aligned?(bytes) = (start % bytes).zero? && (finish % bytes).zero?
    end

    # Parses the list of a process's mappings with their sizes (proc(5), /proc/PID/smaps).
    module Smaps
      HEADER = /^(?<start>\h+)-(?<finish>\h+) (?<permissions>\S{4}) \h+ \h+:\h+ \d+ *(?<name>.*)$/

      # Raises what Rollup.of raises.
      #: (Integer | String) -> Array[Mapping]
      def self.of(pid) = parse(File.binread("/proc/#{pid}/smaps")) # paths are bytes

      # In the order of their addresses.
      #: (String) -> Array[Mapping]
      def self.parse(text)
        text.split(/^(?=\h+-\h+ )/).map { |section| mapping(section) }.freeze
      end

      def self.mapping(section)
        header = HEADER.match(section) or raise Error, "not a mapping: #{section.lines.first}"
        Mapping.new(start: header[:start].hex, finish: header[:finish].hex, permissions: header[:permissions],
          name: header[:name], sizes: Rollup.parse(section)).freeze
      end
      private_class_method :mapping
    end
  end
end
