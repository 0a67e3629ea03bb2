# frozen_string_literal: true

require "test_helper"
require "coppice/memory/memory_pressure"
require_relative "../../support/fake_cgroup"

module Coppice
  module Memory
    class MemoryPressureTest < TestCase
      include FakeCgroup

      STALLED = "some avg10=12.50 avg60=3.00 avg300=1.00 total=1\nfull avg10=4.00 avg60=1.00 avg300=0.10 total=1\n"
      FREE = "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"

      def percent(machine: File::NULL, membership: "0::/server\n")
        MemoryPressure.new(cgroup: cgroup(membership), machine: machine).percent
      end

      test "the server's own cgroup counts" do
        write("server/memory.pressure", STALLED)
        write("machine", FREE)

        assert_in_delta 12.5, percent(machine: "#{@root}/machine")
      end

      test "without one the machine's does" do
        write("machine", STALLED)

        assert_in_delta 12.5, percent(machine: "#{@root}/machine")
      end

      test "a kernel that does not tell has none" do
        assert_equal [0.0, 0.0], [percent, percent(machine: "#{@root}/none")]
      end
    end
  end
end
