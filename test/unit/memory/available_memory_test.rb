# frozen_string_literal: true

require "test_helper"
require "coppice/memory/available_memory"
require_relative "../../support/fake_cgroup"

module Coppice
  module Memory
    class AvailableMemoryTest < TestCase
      include FakeCgroup

      def setup
        super
        write("meminfo", "MemTotal:        8000 kB\nMemFree:         1000 kB\nMemAvailable:    5000 kB\n")
      end

      def kib(count) = "#{count * 1024}\n"

      # [total, left] of a process with this line in /proc/self/cgroup.
      def room(membership)
        room = AvailableMemory.new(cgroup: cgroup(membership), meminfo: File.join(@root, "meminfo"))
        [room.total_kib, room.left_kib]
      end

      test "without a cgroup the machine's memory counts" do
        assert_equal [8000, 5000], room("0::/\n")
      end

      test "without /proc/meminfo the cgroup's limit counts, or nothing is known" do
        FileUtils.rm(File.join(@root, "meminfo"))
        assert_equal [nil, nil], room("0::/\n")
        write("app/memory.max", kib(2000))
        write("app/memory.current", kib(1500))

        assert_equal [2000, 500], room("0::/app\n")
      end

      test "version 2: the limit, and what is left below it; page cache is as good as free" do
        write("app/memory.max", kib(2000))
        write("app/memory.current", kib(1500))
        parts = { anon: 600, shmem: 90, inactive_file: 300, active_file: 200, unevictable: 80, slab_reclaimable: 100 }
        write("app/memory.stat", parts.map { |name, count| "#{name} #{kib(count)}" }.join)

        assert_equal [2000, 1100], room("0::/app\n")
      end

      test "the smallest limit of the surrounding cgroups counts" do
        write("pod/app/memory.max", "max\n")
        write("pod/memory.max", kib(3000))
        write("pod/memory.current", kib(2900))

        assert_equal [3000, 100], room("0::/pod/app\n")
      end

      test "cgroup version 1 has other file names, and a huge number for no limit" do
        write("memory/app/memory.limit_in_bytes", kib(4000))
        write("memory/app/memory.usage_in_bytes", kib(1000))
        write("memory/app/memory.stat", "active_file 1\ntotal_inactive_file #{kib(100)}total_active_file #{kib(50)}")
        write("memory/memory.limit_in_bytes", "9223372036854771712\n")

        assert_equal [4000, 3150], room("5:cpu:/\n4:memory:/app\n0::/\n")
      end

      test "the machine may have less than a cgroup allows, and available memory is never negative" do
        write("app/memory.max", kib(6000))
        write("app/memory.current", kib(10))

        assert_equal [6000, 5000], room("0::/app\n")
        write("app/memory.current", kib(7000))

        assert_equal [6000, 0], room("0::/app\n")
      end
    end
  end
end
