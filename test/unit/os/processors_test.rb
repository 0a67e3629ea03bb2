# frozen_string_literal: true

require "test_helper"
require "coppice/os/processors"
require_relative "../../support/fake_cgroup"

module Coppice
  module OS
    class ProcessorsTest < TestCase
      include FakeCgroup

      # Of a process with this line in /proc/self/cgroup that may run on so many.
      def count(membership, online: 8) = Processors.new(cgroup: cgroup(membership, "cpu"), online: online).count

      test "without a quota there are those that one may run on" do
        assert_equal 8, count("0::/\n")
        write("app/cpu.max", "max 100000\n")

        assert_equal 8, count("0::/app\n")
      end

      test "version 2: the quota of our cgroup, or of one around it, the tightest" do
        write("pod/app/cpu.max", "350000 100000\n")
        write("pod/cpu.max", "max 100000\n")
        assert_equal Rational(7, 2), count("0::/pod/app\n")
        write("pod/cpu.max", "50000 100000\n")

        assert_equal Rational(1, 2), count("0::/pod/app\n")
        assert_equal 8, count("0::/other\n")
      end

      test "version 1: quota and period lie in two files" do
        write("cpu/app/cpu.cfs_quota_us", "150000\n")
        write("cpu/app/cpu.cfs_period_us", "100000\n")
        write("cpu/cpu.cfs_quota_us", "-1\n")
        write("cpu/cpu.cfs_period_us", "100000\n")

        assert_equal Rational(3, 2), count("3:memory:/app\n4:cpu,cpuacct:/app\n0::/\n")
      end

      test "a quota for more than there are is none, and what is no number neither" do
        write("app/cpu.max", "900000 100000\n")
        write("cpu.max", "much\n")

        assert_equal 8, count("0::/app\n")
      end

      test "of this very process" do
        assert_operator Processors.new.count, :>, 0
      end
    end
  end
end
