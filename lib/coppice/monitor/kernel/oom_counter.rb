# frozen_string_literal: true

require "coppice/os/cgroup"
require "coppice/os/throttle"

module Coppice
  class Monitor
    # Tells whether the kernel has killed a process of the server's cgroup because memory ran out. It sends KILL, as any
    # process could, but it counts such kills. It may have killed another program of that cgroup, so that only recent
    # ones can explain an exit.
    class OomCounter
      RECENT = 5.0 # seconds that a process may take to exit, at least, once it was killed and counted

      #: (?OS::Cgroup) -> void
      def initialize(cgroup = OS::Cgroup.new("memory"))
        @file = cgroup.files("memory.events", "memory.oom_control").first
        @count = @recent = count
        @looks = OS::Throttle.new(RECENT)
      end

      # Must be called regularly: drops the kills from before the last look that have explained no exit.
      #: (Float) -> void
      def look(now)
        return unless @looks.claim(now)

        @count = [@count, @recent].max
        @recent = count
      end

      # Whether the kernel has counted one more kill lately. Each is answered once.
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
