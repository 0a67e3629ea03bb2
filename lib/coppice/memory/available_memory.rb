# frozen_string_literal: true

require "coppice/os/cgroup"

module Coppice
  module Memory
    # The total memory that the server may use, and how much of it is left. The smallest limit counts: that of the
    # server's cgroup, of a cgroup around it, or the machine's memory. Reads a few small files on each call.
    class AvailableMemory
      MEMINFO = "/proc/meminfo"

      # For cgroup versions 2 and 1: file of the limit => file of the usage, and the lines of memory.stat for what is
      # reclaimable: what MemAvailable counts as well, for the machine. Version 1 does not tell its slabs there.
      LIMITS = {
        "memory.max" => ["memory.current", [/^inactive_file (\d+)/, /^active_file (\d+)/, /^slab_reclaimable (\d+)/]],
        "memory.limit_in_bytes" => ["memory.usage_in_bytes",
                                    [/^total_inactive_file (\d+)/, /^total_active_file (\d+)/]]
      }.freeze

      #: (?cgroup: OS::Cgroup, ?meminfo: String) -> void
      def initialize(cgroup: OS::Cgroup.new("memory"), meminfo: MEMINFO)
        @limits = cgroup.files(*LIMITS.keys)
        @meminfo = meminfo
      end

      # nil when unknown: no cgroup has a limit, and a sandbox hides the machine's memory.
      #: () -> Integer?
      def total_kib = [machine_kib("MemTotal"), *limits.map(&:last)].compact.min

      # nil when unknown, as for total_kib.
      #: () -> Integer?
      def left_kib
        left = limits.map { |file, limit| limit - used_kib(file) }
        [machine_kib("MemAvailable"), *left].compact.min&.clamp(0..)
      end

      private

      # Pairs of a limit's file and its KiB. A file with the word "max" has no limit, and is left out.
      def limits
        @limits.filter_map { |file| [file, Integer(text(file), 10, exception: false)&./(1024)] }.select(&:last)
      end

      # The usage includes the page cache, which counts as free here, because the kernel reclaims it before it kills:
      # first the inactive part, then the active one, which holds what was read twice. What cannot be reclaimed is not
      # in these parts: shared memory and tmpfs count as anonymous, locked pages as unevictable. Dirty pages can go once
      # they are written.
      def used_kib(file)
        folder, name = File.split(file)
        usage, reclaimable = LIMITS.fetch(name)
        parts = text("#{folder}/memory.stat")
        (text("#{folder}/#{usage}").to_i - reclaimable.sum { |line| parts[line, 1].to_i }) / 1024
      end

      def machine_kib(name) = text(@meminfo)[/^#{name}:\s+(\d+)/, 1]&.to_i

      def text(file)
        File.read(file)
      rescue SystemCallError # the cgroup was removed meanwhile, or systemd's ProcSubset=pid hides the machine
        ""
      end
    end
  end
end
