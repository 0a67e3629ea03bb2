# frozen_string_literal: true

require "coppice/os/cgroup"

module Coppice
  class Monitor
    # Tells whether the kernel has ended a process of our cgroup for want of memory: it sends KILL, as anybody could,
    # but counts it.
    class OomCounter
      #: (?OS::Cgroup) -> void
      def initialize(cgroup = OS::Cgroup.new("memory"))
        @file = cgroup.files("memory.events", "memory.oom_control").first
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

      # Zero where there is no counter, so that nothing ever moves.
      def count
        @file ? File.read(@file)[/^oom_kill (\d+)/, 1].to_i : 0
      rescue SystemCallError # the cgroup was removed under us
        0
      end
    end
  end
end
