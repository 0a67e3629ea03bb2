# frozen_string_literal: true

require "rbconfig"
require "coppice/control/channel"
require "coppice/executable"
require "coppice/memory/available_memory"
require "coppice/monitor/oom_counter"
require "coppice/os/clock"
require "coppice/os/processors"

module Coppice
  class Monitor
    # The monitor's system calls, so that tests can replace them and play thousands of histories without a process.
    class System
      def initialize
        @oom_counter = OomCounter.new
        @available_memory = Memory::AvailableMemory.new
      end

      #: () -> Float
      def now = OS::Clock.now

      # The monitor's end and the child's.
      #: () -> [Control::Channel, Control::Channel]
      def channel_pair = Control::Channel.pair

      # Spawns a Ruby that boots the application, with these variables added to its environment; answers its pid. It
      # inherits one descriptor.
      #: (Control::Channel, own_group: bool, environment: Hash[String, String]) -> Integer
      def spawn_mold(channel, own_group:, environment:)
        Process.spawn(environment, RbConfig.ruby, EXECUTABLE, "mold", channel.fileno.to_s,
                      channel.fileno => channel.fileno, pgroup: own_group || nil, close_others: true)
      end

      # Sends a signal; false when there is no such process any more.
      #: (Integer, Symbol | Integer) -> bool
      def signal(pid, name)
        Process.kill(name, pid)
        true
      rescue Errno::ESRCH
        false
      rescue Errno::EPERM
        true # it runs as another user now
      end

      # The pids of all children that have exited and are not reaped: of those known, and of strangers. Orphans of our
      # children are ours to reap as well. Where the kernel does not list children, the first stranger stands for all.
      #: (Array[Integer]) -> Array[Integer]
      def exited_children(known)
        first, = OS.exited_child
        first ? [first, *known, *children].uniq.select { |pid| OS.exited_child(pid) } : []
      end

      # Reaps this child: its exit status, and the most memory it had in KiB. nil when it has not exited, or is no
      # child.
      #: (Integer) -> [Process::Status, Integer]?
      def reap(pid)
        _, peak_kib = OS.exited_child(pid)
        [Process.wait2(pid).last, peak_kib] if peak_kib
      rescue Errno::ECHILD # a hook on the helper thread waits for any child, and was faster
        nil
      end

      # Whether the kernel has killed one more process of the server because memory ran out.
      #: () -> bool
      def out_of_memory? = @oom_counter.increased?

      # Number of processors that all processes together may use.
      #: () -> (Integer | Rational)
      def processors = OS::Processors.new.count

      # The memory that all processes together may use, and what is left of it, in KiB.
      #: () -> Integer
      def memory_total_kib = @available_memory.total_kib

      #: () -> Integer
      def memory_left_kib = @available_memory.left_kib

      private

      # Each thread has the children that it spawned, and one has the orphans. Source: proc(5).
      def children
        Dir.glob("/proc/self/task/*/children").flat_map { |file| File.read(file).split.map(&:to_i) }
      rescue SystemCallError # a thread ended meanwhile: the next look finds the rest
        []
      end
    end
  end
end
