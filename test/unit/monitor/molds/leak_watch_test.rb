# frozen_string_literal: true

require_relative "../../../support/supervision_test_case"

class LeakWatchTest < SupervisionTestCase
  MIB = 1024
  Steps = Coppice::Monitor::Steps

  Roster = Struct.new(:generation, :mold, :reforks) do
    def settled? = true
    def next_generation = generation + 1
  end
  Mold = Struct.new(:row, :cold) do
    def cold? = cold
    def ready? = true
  end
  Row = Struct.new(:anonymous_kib)

  def roster(generation, mib)
    mold = Mold.new(Row.new(mib * MIB), generation.zero?)
    Roster.new(generation, mold, Coppice::Monitor::Backoff.new)
  end

  # What is decided when generations begin with molds of these sizes, the first of them cold. The others follow once it
  # is warm, a second each.
  def decisions(*sizes, baseline: nil, warm_up: Coppice::Monitor::LeakWatch::WARM_UP, **values)
    baseline ||= Coppice::Monitor::LeakWatch.new(Coppice::Config::Settings.new(values: values))
    sizes.each_with_index.map do |mib, generation|
      baseline.next(roster(generation, mib), generation.zero? ? 0.0 : warm_up + generation)
    end
  end

  def warnings(...) = decisions(...).map { |steps| steps.grep(Steps::Warn).size }

  def cold_boots(...) = decisions(...).map { |steps| steps.grep(Steps::ColdBoot).size }

  test "a baseline that grows in four generations in a row is told, with its numbers" do
    warned = decisions(50, 100, 110, 120, 130, 140).last

    assert_equal [{ generations: 4, from_mib: 100, to_mib: 140, mib_per_generation: 10.0 }], warned.map(&:fields)
  end

  test "an application that warms up for ten minutes does not leak" do
    sizes = [50, 100, 110, 120, 130, 140, 150]

    assert_equal 0, warnings(*sizes, warm_up: 0).sum
    assert_equal 0, warnings(*sizes, warm_up: 595).sum
    assert_equal 0, cold_boots(*sizes, warm_up: 595, cold_boot_after_growth: "20%").sum
  end

  test "it is told again when it has doubled" do
    assert_equal [0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0], warnings(50, 100, 110, 120, 130, 140, 150, 160, 170, 180, 190)
  end

  test "one step that does not go up begins anew" do
    assert_equal 0, warnings(50, 100, 110, 120, 130, 129, 140, 150, 160).sum
  end

  test "little growth is none, and what settles is no leak" do
    assert_equal 0, warnings(50, 100, 101, 102, 103, 104, 105).sum
    assert_equal 0, warnings(50, 100, 140, 160, 170, 175, 177, 178).sum
  end

  test "the step from a cold mold to a warm one counts for nothing" do
    assert_equal 0, warnings(50, 100, 110, 120, 130).sum
  end

  test "no cold boot unless it is asked for" do
    assert_equal 0, cold_boots(50, 100, 120, 140, 160, 180, 200, 220).sum
    assert_equal [0, 0, 0, 0, 0, 0, 1], cold_boots(50, 100, 115, 125, 135, 145, 155, cold_boot_after_growth: "50%")
  end

  test "a limit acts only on growth that is worth a warning" do
    [[100, 130, 160, 190], [100, 130, 160, 190, 189, 220], [100, 140, 160, 170, 175, 177]].each do |warm|
      assert_equal 0, cold_boots(50, *warm, cold_boot_after_growth: "20%").sum, warm.inspect
    end
    assert_equal [0, 0, 0, 0, 0, 1], cold_boots(50, 100, 130, 160, 190, 220, cold_boot_after_growth: "20%")
  end

  test "a cold mold is booted beside the one that serves, and takes over once its worker is ready" do
    server = settled_server(cold_boot_after_growth: "20%")
    server.system.advance(Coppice::Monitor::LeakWatch::WARM_UP)
    6.times do |generation|
      server.system.mold_kib = (100 + (10 * generation)) * MIB
      server.operations.refork if generation.positive?
      run_until(server) do
        server.roster.generation == generation && (server.roster.settled? || server.roster.candidate)
      end
    end
    old = server.roster.mold
    run_until(server) { server.roster.candidate&.cold? }
    least = 4
    run_until(server) do
      least = [least, server.roster.ready_workers.size].min
      server.roster.generation == 6 && server.roster.settled?
    end

    assert_predicate server.roster.mold, :cold?
    assert_predicate old, :gone?
    assert_equal 4, least
  end

  test "a cold boot that fails is not tried again for a while" do
    baseline = Coppice::Monitor::LeakWatch.new(Coppice::Config::Settings.new(values: { cold_boot_after_growth: "20%" }))
    sizes = [50, 100, 110, 120, 130, 140]
    first = decisions(*sizes, baseline: baseline).last.grep(Steps::ColdBoot).size
    later = [606, 1204, 1205].map { |second| baseline.next(roster(5, 140), second.to_f).size }

    assert_equal [1, [0, 0, 1]], [first, later]
  end
end
