# frozen_string_literal: true

require "coppice/os/cgroup"

module Coppice
  module Memory
    # How much memory there is for all of us together, and how much of it is left: the tightest of our cgroup's limits,
    # those around it, and the machine itself. Read when it is asked; a few small files.
    class AvailableMemory
      MEMINFO = "/proc/meminfo"

      # For version 2 and 1: the file of the limit, that of what is in use, and in memory.stat what can be given back
      # at once.
      LIMITS = { "memory.max" => ["memory.current", "inactive_file"],
                 "memory.limit_in_bytes" => ["memory.usage_in_bytes", "total_inactive_file"] }.freeze

      #: (?cgroup: OS::Cgroup, ?meminfo: String) -> void
      def initialize(cgroup: OS::Cgroup.new("memory"), meminfo: MEMINFO)
        @limits = cgroup.files(*LIMITS.keys)
        @meminfo = meminfo
      end

      # nil where nothing tells: a sandbox hides the machine's part, and no cgroup has a limit.
      #: () -> Integer?
      def total_kib = [machine_kib("MemTotal"), *limits.map(&:last)].compact.min

      # nil as well.
      #: () -> Integer?
      def left_kib = [machine_kib("MemAvailable"), *limits.map { |file, limit| limit - used_kib(file) }].compact.min&.clamp(0..)

      private

      # [file, KiB]; "max" means that there is none.
      def limits
        @limits.filter_map { |file| [file, Integer(text(file), 10, exception: false)&./(1024)] }.select(&:last)
      end

      # The page cache of files that nobody reads just now counts as used, and is not: the kernel takes it first.
      def used_kib(file)
        folder, name = File.split(file)
        usage, reclaimable = LIMITS.fetch(name)
        idle = text("#{folder}/memory.stat")[/^#{reclaimable} (\d+)/, 1].to_i
        (text("#{folder}/#{usage}").to_i - idle) / 1024
      end

      def machine_kib(name) = text(@meminfo)[/^#{name}:\s+(\d+)/, 1]&.to_i

      def text(file)
        File.read(file)
      rescue SystemCallError # the cgroup was removed under us, or systemd's ProcSubset=pid hides the machine
        ""
      end
    end
  end
end
