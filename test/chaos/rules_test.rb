# frozen_string_literal: true

require "test_helper"
require_relative "client"
require_relative "deaths"
require_relative "losses"
require_relative "victims"

# The rules of bin/chaos find violations, and nothing else.
class ChaosRulesTest < Coppice::TestCase
  def setup
    @victims = Chaos::Victims.new
  end

  def lost(*ids) = ids.map { |id| Chaos::Client::Lost.new(id: id, began: 8.0, at: 10.0, reason: "cut") }

  def unexcused(served, lost, gaps: [], **options)
    Chaos::Losses.new(@victims, served: served, gaps: gaps).unexcused(lost, **options)
  end

  def ended(pid, why)
    "level=error role=monitor pid=1 msg=\"worker exited\" child=worker nr=0 gen=0 child_pid=#{pid} why=#{why} " \
      "requests=3\n"
  end

  def complaints(log) = Chaos::Deaths.new(log).complaints(@victims)

  test "a death costs the request that it served, and no second one" do
    @victims.add(50, :kill, "a fault")

    assert_empty unexcused("1 50\n", lost(1))
    assert_match(/request 2 was lost .* which lost 1 as well/, unexcused("1 50\n2 50\n", lost(1, 2)).first)
  end

  test "a request lost by a process without a fault, or with a fault that explains no loss, is a violation" do
    @victims.add(51, :ask, "TERM to a worker")

    assert_match(/hit by nothing/, unexcused("1 50\n", lost(1)).first)
    assert_match(/hit by \["TERM to a worker"\]/, unexcused("1 51\n", lost(1)).first)
  end

  test "a request that reached no worker is attributed to a killed worker, or to the lost monitor" do
    @victims.add(50, :kill, "a fault")

    assert_equal 1, unexcused("", lost(1, 2)).size
    assert_empty unexcused("", lost(1, 2), monitor_lost_at: 9.0)
  end

  test "a process that was over a limit costs one request, as one does that a fault hit" do
    served = "1 50\n2 50\n"

    assert_match(/hit by nothing/, Chaos::Losses.new(@victims, served: served).unexcused(lost(1)).first)
    assert_empty Chaos::Losses.new(@victims, served: served, late: [50]).unexcused(lost(1))
    assert_equal 1, Chaos::Losses.new(@victims, served: served, late: [50]).unexcused(lost(1, 2)).size
    log = ended(50, "signal") + ended(51, "unresponsive") + ended(52, "timeout")
    assert_equal [51, 52], Chaos::Deaths.new(log).late
  end

  test "a slow client may lose what no worker got" do
    slow = lost(1).each { |request| request.slow = true }

    assert_empty unexcused("", slow)
    assert_equal 1, unexcused("1 50\n", slow).size
  end

  test "a request that was past the timeout may be lost" do
    assert_empty unexcused("1 50\n", lost(1).each { |request| request.overdue = true })
  end

  test "a request during which all stood still may be lost, and not one before or behind that" do
    assert_empty unexcused("1 50\n", lost(1), gaps: [9.0..9.5])
    assert_empty unexcused("1 50\n", lost(1), gaps: [7.0..11.0])
    assert_equal 1, unexcused("1 50\n", lost(1), gaps: [6.0..7.9, 10.1..12.0]).size
  end

  test "the lobby's faults explain so many requests, whichever workers serve them" do
    @victims.add(60, :kill_loop, "KILL to the loop")

    assert_empty unexcused("1 50\n", lost(1))
    assert_equal 1, unexcused("1 50\n", lost(1, 2)).size
    @victims.add(61, :kill_keeper, "KILL to the keeper")

    assert_equal 1, unexcused("1 50\n", lost(1, 2)).size
  end

  test "the death of a part of the lobby must be logged as well" do
    @victims.add(60, :kill_loop, "KILL to the loop")
    line = ended(60, "signal").sub("worker exited\" child=worker nr=0", "lobby exited\" part=loop child=lobby")

    assert_empty complaints(line)
    assert_match(/no log line for the death of 60/, complaints("").first)
  end

  test "a death must be logged once, with its cause" do
    @victims.add(50, :kill, "a fault")

    assert_empty complaints(ended(50, "signal"))
    assert_match(/no log line for the death of 50/, complaints("").first)
    assert_match(/ended twice/, complaints(ended(50, "signal") * 2).first)
    assert_match(/why=failed, hit by \["a fault"\]/, complaints(ended(50, "failed")).first)
  end

  test "a death without a fault is a violation, except for an exceeded limit" do
    assert_match(/why=signal, hit by nothing/, complaints(ended(50, "signal")).first)
    assert_match(/why=exited_by_itself, hit by nothing/, complaints(ended(50, "exited_by_itself")).first)
    assert_empty complaints(ended(50, "spawn_timeout") + ended(51, "timeout") + ended(52, "unresponsive"))

    failed = "level=error role=mold pid=50 msg=\"coppice mold (gen 0) failed\" error=Errno::EMFILE\n"
    assert_empty complaints(failed + ended(50, "failed"))

    failed = "coppice: a fork failed in the new process 51: Too many open files (Errno::EMFILE)\n"
    assert_empty complaints(failed + ended(51, "failed"))
    assert_match(/52 ended, why=failed/, complaints(failed + ended(52, "failed")).first)
  end

  test "a mold fails when its release raises" do
    log = "level=info role=monitor pid=1 msg=\"release is prepared\" release=2 directory=/x/raises revision=raises\n" \
          "level=info role=monitor pid=1 msg=\"booting the application\" child=mold child_pid=50 release=2 gc=on\n"

    assert_empty complaints(log + ended(50, "failed"))
    assert_match(/51 ended, why=failed/, complaints(log + ended(51, "failed")).first)
    assert_match(/50 ended, why=failed/, complaints(log.sub("/raises", "/second") + ended(50, "failed")).first)
  end

  test "INT ends a process at once, by Coppice's handler or by Ruby's own" do
    @victims.add(50, :interrupt, "INT to a service")
    @victims.add(51, :ask, "TERM to a worker")

    assert_empty complaints(ended(50, "signal") + ended(51, "asked"))
    assert_match(/51 ended, why=signal/, complaints(ended(50, "asked") + ended(51, "signal")).first)
    assert_empty complaints(ended(50, "asked") + ended(51, "signal").sub("child=worker", "child=service"))
  end

  test "an error in the server's own code is a violation" do
    line = "level=error role=mold pid=3 msg=failed error=NoMethodError\n"
    assert_match(/own: .*NoMethodError/, complaints(line).first)
  end
end
