# frozen_string_literal: true

module Coppice
  module Memory
    # What the kernel adds up for one process, in KiB (proc(5), /proc/PID/smaps_rollup). Plain values: to read them walks
    # the process's page tables, some milliseconds for some hundred MiB, so nobody does it for another process but tools.
    Rollup = Struct.new(:rss, :pss, :shared, :private, :anonymous, :swap, keyword_init: true) do
      # Of a process, by default the one that asks. Raises Errno::ENOENT or Errno::ESRCH when there is none, Errno::EACCES
      # when it is another user's.
      #: (?(Integer | String)) -> Rollup
      def self.of(pid = "self") = parse(File.read("/proc/#{pid}/smaps_rollup"))

      #: (String) -> Rollup
      def self.parse(text)
        kib = Hash.new(0)
        text.scan(/^(\w+):\s+(\d+) kB$/) { |name, value| kib[name] = Integer(value, 10) }
        new(rss: kib["Rss"], pss: kib["Pss"], shared: kib["Shared_Clean"] + kib["Shared_Dirty"],
            private: kib["Private_Clean"] + kib["Private_Dirty"], anonymous: kib["Anonymous"], swap: kib["Swap"]).freeze
      end

      #: (Array[Rollup]) -> Rollup
      def self.sum(rollups) = new(**members.to_h { |name| [name, rollups.sum(&name)] }).freeze
    end
  end
end
