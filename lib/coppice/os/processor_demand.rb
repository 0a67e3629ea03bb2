# frozen_string_literal: true

require "coppice/os/process_stat"

module Coppice
  module OS
    # How long a process has wanted a processor: it ran, or waited for one to be free. While it waits for anything else,
    # such as a database, it wants none. Source: the kernel's sched-stats document, /proc/<pid>/schedstat.
    module ProcessorDemand
      # Seconds of its first thread since its fork. Where the kernel counts no waits, only those that it has run, of all
      # its threads; nil when there is no such process any more.
      #: (Integer) -> Float?
      def self.of(pid)
        ran, waited = File.read("/proc/#{pid}/schedstat").split
        (ran.to_i + waited.to_i) / 1e9
      rescue SystemCallError # no such process, or a kernel without it
        ProcessStat.of(pid)&.cpu_us&./(1e6)
      end

      # For how many seconds since its fork that one of its threads has waited for a processor that waited longest: the
      # others may sleep until it is done. 0 where the kernel counts no waits.
      #: (Integer) -> Float
      def self.wait(pid)
        Dir["/proc/#{pid}/task/*/schedstat"].map { |file| waited_ns(file) }.max.to_f / 1e9
      end

      def self.waited_ns(file)
        File.read(file).split.fetch(1, 0).to_i
      rescue SystemCallError # it ended meanwhile
        0
      end
      private_class_method :waited_ns
    end
  end
end
