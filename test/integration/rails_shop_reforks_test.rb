# frozen_string_literal: true

require "test_helper"
require "coppice/os/process_stat"
require_relative "../support/example_shop"
require_relative "../support/closed_loop"

# The example shop under load, through several generations.
class RailsShopReforksTest < Coppice::TestCase
  # What is sampled while clients are served: broken rules, as text.
  def offences(server)
    rows = settled_rows(server)
    slots = rows.filter_map { |_, role, nr| nr if role == :worker }
    strangers = rows.map(&:first).reject { |pid| [nil, server.pid].include?(parent_of(pid)) }
    [*("slots #{slots}" unless slots.uniq == slots), *strangers.map { |pid| "not the monitor's: #{pid}" }]
  end

  # What was on the board at one moment. The rows are read one after the other while processes come and go: two readings
  # that are equal are that, since none of these pids comes back.
  def settled_rows(server)
    read = -> { server.board.rows.map { |row| [row.pid, row.role_name, row.nr] } }
    rows = read.call
    until (again = read.call) == rows
      rows = again
    end
    rows
  end

  # nil when the process ended between the look at the board and this one.
  def parent_of(pid) = Coppice::OS::ProcessStat.of(pid)&.parent

  # Whether it has exited and nobody has reaped it.
  def zombie?(pid) = Coppice::OS::ProcessStat.of(pid)&.zombie? || false

  test "two reforks under load without one failed request" do
    ExampleShop.serve("worker_processes 4\nrefork_after [5, 50, 100]\ntimeout 60") do |server|
      offences = []
      load = ClosedLoop.new(server, clients: 2, paths: ExampleShop::PATHS)
      load.start
      server.wait(120, "the first refork") { offences.concat(offences(server)) && server.board.generation >= 1 }
      server.signal(:USR2)
      server.wait(120, "the second refork") { offences.concat(offences(server)) && server.board.generation >= 2 }
      server.wait(120, "the end of the rollout") { server.settled?(server.board.generation) }
      load.stop
      # The last requests may have begun yet another generation.
      server.wait(120, "four workers and one mold") do
        server.settled?(server.board.generation) && server.children(server.pid).size == 5 + server.lobby_processes
      end

      assert_equal 0, server.board.audit_findings
      assert_empty load.failures.tally
      assert_empty offences
      assert_operator load.answers, :>, 30
      server.wait { server.children(server.pid).none? { |pid| zombie?(pid) } }
    end
  end
end
