# frozen_string_literal: true

require "etc"
require "coppice/os/proc_folder"

module Coppice
  module OS
    # What the kernel tells of a process, in one line: proc_pid_stat(5).
    class ProcessStat
      TICK_US = 1_000_000 / Etc.sysconf(Etc::SC_CLK_TCK)
      FORKED = 0x40 # PF_FORKNOEXEC of the kernel: was forked, and has not called exec since
      STATE, PARENT, GROUP, FLAGS, USER, SYSTEM = 0, 1, 2, 6, 11, 12 # the places behind the name, which may be any

      # nil when there is no such process any more, or no /proc, or a sandbox hides it.
      #: (Integer) -> ProcessStat?
      def self.of(pid)
        new(File.read("/proc/#{pid}/stat").rpartition(")").last.split)
      rescue SystemCallError
        nil
      end

      # Whether a process group has a member that runs, beside this process. Looks at all processes.
      #: (Integer) -> bool
      def self.others_in_group?(group)
        (ProcFolder.pids - [Process.pid]).any? { |pid| (stat = of(pid)) && stat.group == group && !stat.ended? }
      rescue SystemCallError # no /proc
        false
      end

      #: (Array[String]) -> void
      def initialize(fields)
        @fields = fields
      end

      # Whether a signal has stopped it, so that another one continues it.
      #: () -> bool
      def stopped? = state == "T"

      # Whether it has exited, and its parent has not noticed.
      #: () -> bool
      def zombie? = state == "Z"

      # Whether its first thread has ended. Others may go on.
      #: () -> bool
      def ended? = %w[Z X].include?(state)

      #: () -> Integer
      def parent = @fields[PARENT].to_i

      # Its process group.
      #: () -> Integer
      def group = @fields[GROUP].to_i

      # Whether it has become another program since it was forked (exec). A sandbox that does not know has no flags.
      #: () -> bool
      def replaced? = flags.positive? && flags.nobits?(FORKED)

      # User and system time in microseconds.
      #: () -> Integer
      def cpu_us = (@fields[USER].to_i + @fields[SYSTEM].to_i) * TICK_US

      private

      def state = @fields[STATE]
      def flags = @fields[FLAGS].to_i
    end
  end
end
