# frozen_string_literal: true

require "test_helper"
require_relative "client"
require_relative "deaths"
require_relative "losses"
require_relative "victims"

# The rules of bin/chaos can be broken: what they are there for is seen, and only that.
class ChaosRulesTest < Coppice::TestCase
  def setup
    @victims = Chaos::Victims.new
  end

  def lost(*ids) = ids.map { |id| Chaos::Client::Lost.new(id: id, at: 10.0, reason: "cut") }

  def unexcused(served, lost, **options) = Chaos::Losses.new(@victims, served: served).unexcused(lost, **options)

  def ended(pid, why)
    "level=error role=monitor pid=1 msg=\"worker exited\" child=worker nr=0 gen=0 child_pid=#{pid} why=#{why} requests=3\n"
  end

  def complaints(log) = Chaos::Deaths.new(log).complaints(@victims)

  test "a death costs the request that it served, and no second one" do
    @victims.add(50, :kill, "a fault")

    assert_empty unexcused("1 50\n", lost(1))
    assert_match(/request 2 was lost .* which lost 1 as well/, unexcused("1 50\n2 50\n", lost(1, 2)).first)
  end

  test "nobody may lose a request whom no fault hit, or one that excuses nothing" do
    @victims.add(51, :ask, "TERM to a worker")

    assert_match(/hit by nothing/, unexcused("1 50\n", lost(1)).first)
    assert_match(/hit by \["TERM to a worker"\]/, unexcused("1 51\n", lost(1)).first)
  end

  test "a request that nobody saw is laid to one that was killed, or to a server that was deserted" do
    @victims.add(50, :kill, "a fault")

    assert_equal 1, unexcused("", lost(1, 2)).size
    assert_empty unexcused("", lost(1, 2), deserted_at: 9.0)
  end

  test "a death is told once, with its cause" do
    @victims.add(50, :kill, "a fault")

    assert_empty complaints(ended(50, "signal"))
    assert_match(/no word of the end of 50/, complaints("").first)
    assert_match(/ended twice/, complaints(ended(50, "signal") * 2).first)
    assert_match(/why=failed, hit by \["a fault"\]/, complaints(ended(50, "failed")).first)
  end

  test "nobody dies whom no fault hit, but a limit that was passed is a limit" do
    assert_match(/why=signal, hit by nothing/, complaints(ended(50, "signal")).first)
    assert_match(/why=left, hit by nothing/, complaints(ended(50, "left")).first)
    assert_empty complaints(ended(50, "spawn_timeout") + ended(51, "timeout"))
    assert_empty complaints("level=error role=mold pid=50 msg=\"coppice mold (gen 0) failed\" error=Errno::EMFILE\n#{ended(50, 'failed')}")
  end

  test "INT ends a process now, by our handler or by Ruby's own" do
    @victims.add(50, :interrupt, "INT to a service")
    @victims.add(51, :ask, "TERM to a worker")

    assert_empty complaints(ended(50, "signal") + ended(51, "asked"))
    assert_match(/51 ended, why=signal/, complaints(ended(50, "asked") + ended(51, "signal")).first)
  end

  test "an error in the server's own code is a finding" do
    assert_match(/own: .*NoMethodError/, complaints("level=error role=mold pid=3 msg=failed error=NoMethodError\n").first)
  end
end
