# frozen_string_literal: true

require "etc"

module Coppice
  class Stats
    # CPU time of other processes: proc_pid_stat(5).
    module ProcessTimes
      TICK_US = 1_000_000 / Etc.sysconf(Etc::SC_CLK_TCK)
      USER, SYSTEM = 11, 12 # fields behind the name, which may contain anything

      # User and system time in microseconds; nil when the process is gone, or there is no /proc.
      #: (Integer) -> Integer?
      def self.cpu_us(pid)
        fields = File.read("/proc/#{pid}/stat").rpartition(")").last.split
        (fields[USER].to_i + fields[SYSTEM].to_i) * TICK_US
      rescue Errno::ENOENT, Errno::ESRCH, Errno::EACCES
        nil
      end
    end
  end
end
