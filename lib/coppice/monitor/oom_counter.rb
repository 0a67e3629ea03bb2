# frozen_string_literal: true

require "coppice/os/cgroup"

module Coppice
  class Monitor
    # Tells whether the kernel has killed a process of the server's cgroup because memory ran out. It sends KILL, as any
    # process could, but it counts such kills.
    class OomCounter
      #: (?OS::Cgroup) -> void
      def initialize(cgroup = OS::Cgroup.new("memory"))
        @file = cgroup.files("memory.events", "memory.oom_control").first
        @count = count
      end

      # Whether the kernel has counted one more kill. Each is answered once.
      #: () -> bool
      def increased?
        return false unless count > @count

        @count += 1
        true
      end

      private

      # Zero where there is no counter.
      def count
        @file ? File.read(@file)[/^oom_kill (\d+)/, 1].to_i : 0
      rescue SystemCallError # the cgroup was removed meanwhile
        0
      end
    end
  end
end
