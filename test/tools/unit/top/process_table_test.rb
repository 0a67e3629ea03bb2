# frozen_string_literal: true

require "test_helper"
require "coppice/tools/top/meter"
require "coppice/tools/top/process_table"
require_relative "../../../support/stats_fixture"

module Coppice
  module Top
    class ProcessTableTest < TestCase
      GUEST = { role: "guest", slot: nil, generation: 12, pid: 6000, state: "busy", age: 61.0, request_age: 60.0,
                request: "bin/rails console", private: 32_000_000, pss: 50_000_000, cpu_seconds: 1.0 }.freeze

      def row(**guest)
        table = ProcessTable.new(Meter.new.read(StatsFixture.at))
        table.row(GUEST.merge(guest), 140).to_s.squeeze(" ").strip
      end

      test "a guest is shown with what it runs, for whom, since when and how much longer" do
        assert_equal "12 6000 busy guest: bin/rails console (uid 1000, 59m00s left) 1m00s - - 30.5M 47.7M -",
          row(client_uid: 1000, time_left: 3540.4)
        assert_equal "12 6000 busy guest: bin/rails console (uid 0) 1m00s - - 30.5M 47.7M -",
          row(client_uid: 0, time_left: nil)
      end

      test "a worker that works after its response is no longer with a request, and is shown with the time since" do
        worker = { role: "worker", slot: 1, generation: 12, pid: 7, state: "busy", request: "GET /x",
                   request_age: 60.0, requests: 3 }

        assert_match(/^ *1 12 7 busy GET \/x 1m00s /, row(**worker))
        assert_match(/^ *1 12 7 answered GET \/x 2\.00s /, row(**worker, answered_age: 2.0))
        assert_match(/ stopped GET /, row(**worker, answered_age: 2.0, state: "stopped"))
      end

      test "while processes run several releases, each says which, and those of another than the committed stand out" do
        stats = StatsFixture.at
        first, second, third = stats[:processes].select { |process| process[:slot] }
        first[:release] = second[:release] = 2
        third[:release] = 1
        table = ProcessTable.new(Meter.new.read(stats))

        assert_match(/^slot +gen rel +pid state/, table.head(80).to_s)
        assert_match(/^ +2 +12 +1 +5003 idle/, table.row(third, 80).to_s)
        assert_includes table.row(third, 80).paint(80, colour: true), "\e[33m  1\e[0m"
        refute_includes table.row(first, 80).paint(80, colour: true), "\e[33m"
        third[:release] = 2
        assert_match(/^slot +gen +pid state/, ProcessTable.new(Meter.new.read(stats)).head(80).to_s)
      end
    end
  end
end
