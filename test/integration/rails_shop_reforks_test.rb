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

  # Waits until all serve in this generation; answers the offences that were seen meanwhile.
  def reforked(server, generation)
    offences = []
    server.wait(120, "a refork") { offences.concat(offences(server)) && server.board.generation >= generation }
    server.wait(120, "all workers and one mold") do
      server.settled?(generation) &&
        server.children(server.pid).size == server.board.workers_count + 1 + server.lobby_processes
    end
    offences
  end

  def lose_worker(server, load)
    slots = server.ready_workers.map(&:nr).sort
    kill(server, server.ready_workers.first.pid)
    answers = load.answers
    server.wait { server.ready_workers.size == slots.size && load.answers > answers + 10 }

    assert_equal slots, server.ready_workers.map(&:nr).sort
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

  # Yields the server, under load that ends with the block, and the load. The first refork has no failure, and all that
  # comes then at most `lost`.
  def serve_until_reforked(workers:, lost: 0)
    ExampleShop.serve("worker_processes #{workers}\nrefork_after [5, false]\ntimeout 60") do |server|
      load = ClosedLoop.new(server, clients: 2, paths: ExampleShop::PATHS, pause: 0.2)
      load.during do
        assert_empty reforked(server, 1)
        assert_equal 0, server.board.audit_findings
        assert_empty load.failures.tally
        yield server, load
      end
      assert_operator load.failures.size, :<=, lost, load.failures.tally.inspect
      server.wait { server.children(server.pid).none? { |pid| zombie?(pid) } }
    end
  end

  test "under load a refork costs no request, and a killed worker at most its own" do
    serve_until_reforked(workers: 2, lost: 1) { |server, load| lose_worker(server, load) }
  end

  soak_test "under load a second refork and a killed mold cost no request" do
    serve_until_reforked(workers: 3) do |server, load|
      server.signal(:USR2)

      assert_empty reforked(server, 2)
      server.wait { load.answers > 30 }
      lose_mold(server, load)
    end
  end
end
