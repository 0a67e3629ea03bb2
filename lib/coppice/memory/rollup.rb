# frozen_string_literal: true

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
  end
end
