# frozen_string_literal: true

require "test_helper"
require "coppice/os/process_stat"
require_relative "../support/example_shop"
require_relative "../support/closed_loop"

# The example shop under load, through several generations and while its processes are killed.
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

  # Answers the offences that were seen meanwhile.
  def refork_twice(server)
    offences = []
    server.wait(120, "the first refork") { offences.concat(offences(server)) && server.board.generation >= 1 }
    server.signal(:USR2)
    server.wait(120, "the second refork") { offences.concat(offences(server)) && server.board.generation >= 2 }
    server.wait(120, "three workers and one mold") do
      server.settled?(2) && server.children(server.pid).size == 4 + server.lobby_processes
    end
    offences
  end

  def lose_worker(server, load)
    kill(server, server.ready_workers.first.pid)
    answers = load.answers
    server.wait { server.ready_workers.size == 3 && load.answers > answers + 10 }

    assert_equal [0, 1, 2], server.ready_workers.map(&:nr).sort
  end

  def lose_mold(server, load)
    kill(server, server.rows(:mold).first.pid)
    answers = load.answers
    server.wait { server.rows(:mold).any?(&:ready?) && load.answers > answers + 10 }
  end

  def kill(server, pid)
    server.signal(:KILL, to: pid)
    server.wait { server.gone?(pid) }
  end

  test "under load two reforks cost no request, a killed worker at most its own, and a killed mold none" do
    ExampleShop.serve("worker_processes 3\nrefork_after [5, false]\ntimeout 60") do |server|
      load = ClosedLoop.new(server, clients: 2, paths: ExampleShop::PATHS, pause: 0.2)
      failures = load.during do
        assert_empty refork_twice(server)
        assert_equal 0, server.board.audit_findings
        server.wait { load.answers > 30 }
        assert_empty load.failures.tally
        lose_worker(server, load)
        load.failures.dup.tap { lose_mold(server, load) }
      end

      assert_operator failures.size, :<=, 1, failures.tally.inspect
      assert_equal failures, load.failures
      server.wait { server.children(server.pid).none? { |pid| zombie?(pid) } }
    end
  end
end
