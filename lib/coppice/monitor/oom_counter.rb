# frozen_string_literal: true

# Runs in the monitor.

module Coppice
  class Monitor
    # Tells whether the kernel has ended a process of our cgroup for want of memory: it sends KILL, as anybody could,
    # but counts it. Sources: cgroups(7); the kernel's cgroup-v2 ("memory.events") and cgroup-v1 memory documents.
    class OomCounter
      MEMBERSHIP = "/proc/self/cgroup"
      ROOT = "/sys/fs/cgroup"

      #: (?membership: String, ?root: String) -> void
      def initialize(membership: MEMBERSHIP, root: ROOT)
        @file = files(membership, root).find { |file| File.readable?(file) }
        @count = count
      end

      # Whether it has counted one on that was not asked for yet.
      #: () -> bool
      def moved?
        return false unless count > @count

        @count += 1
        true
      end

      private

      # In a container the path that is told may not be there, and what is there is the container's own.
      def files(membership, root)
        return [] unless File.readable?(membership)

        File.readlines(membership, chomp: true).flat_map do |line|
          _, controllers, path = line.split(":", 3)
          case controllers.split(",")
          when [] then ["#{root}#{path}/memory.events", "#{root}/memory.events"]
          when ->(names) { names.include?("memory") } then %W[#{root}/memory#{path}/memory.oom_control #{root}/memory/memory.oom_control]
          else []
          end
        end
      end

      # Zero where there is no counter, so that nothing ever moves.
      def count
        @file ? File.read(@file)[/^oom_kill (\d+)/, 1].to_i : 0
      rescue SystemCallError # the cgroup was removed under us
        0
      end
    end
  end
end
