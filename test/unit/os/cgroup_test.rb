# frozen_string_literal: true

require "test_helper"
require "coppice/os/cgroup"
require_relative "../../support/fake_cgroup"

module Coppice
  module OS
    class CgroupTest < TestCase
      include FakeCgroup

      test "that of another process is found by what /proc tells of that one" do
        write("proc/self/cgroup", "0::/own\n")
        write("proc/4711/cgroup", "0::/other\n")
        write("own/memory.max", "1\n")
        write("other/memory.max", "2\n")

        assert_equal ["#{@root}/other/memory.max"], files_of(4711)
        assert_equal ["#{@root}/own/memory.max"], files_of(9), "it has exited"
      end

      test "without /proc there is none" do
        write("memory.max", "1\n")

        assert_empty files_of(4711)
      end

      private

      def files_of(pid)
        Cgroup.of_process(pid, "memory", proc: "#{@root}/proc", root: @root).files("memory.max")
      end
    end
  end
end
