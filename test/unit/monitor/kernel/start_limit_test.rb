# frozen_string_literal: true

require "coppice/monitor/kernel/start_limit"
require_relative "../../../support/fake_server_rolls"
require_relative "../../../support/recording_log"
require_relative "../../../support/supervision_test_case"

class StartLimitTest < SupervisionTestCase
  include FakeServerRolls

  Worker = Struct.new(:forked_at)

  # Workers whose start takes a number of CPU seconds, on processors that they share.
  class Machine
    attr_reader :missing, :rounds, :most

    def initialize(random)
      @limit = Coppice::Monitor::StartLimit.new
      @missing = random.rand(1..60)
      @processors = random.rand(1..8)
      @timeout = 10.0
      @cpu_seconds = random.rand(0.1..9.9)
      @now = @rounds = 0
    end

    def start_some
      starting = 0
      starting += 1 until starting == @missing || @limit.reached?(starting)
      seconds = @cpu_seconds * [starting.fdiv(@processors), 1].max
      seconds > @timeout ? kill(starting) : note_ready(starting, seconds)
      @rounds += 1
      starting
    end

    private

    def kill(starting)
      worker = Worker.new(@now)
      @now += @timeout
      starting.times { |gone| @limit.too_slow(worker, starting - gone, @now) }
    end

    def note_ready(starting, seconds)
      @now += seconds
      @missing -= starting
      starting.times { @limit.worker_ready }
    end
  end

  test "however busy the processors, all workers become ready if one alone would" do
    random = Random.new(7)
    200.times do
      machine = Machine.new(random)
      wanted = machine.missing
      assert_operator machine.start_some, :>=, 1 while machine.missing.positive? && machine.rounds < 3 * wanted

      assert_equal 0, machine.missing
    end
  end

  test "there is no limit until a worker was too slow, then half as many start, and one at least" do
    limit = Coppice::Monitor::StartLimit.new

    refute limit.reached?(1000)
    assert_equal [true, 4], [limit.too_slow(Worker.new(1), 9, 11), limit.workers]
    assert_equal [false, 4], [limit.too_slow(Worker.new(1), 8, 11), limit.workers]
    assert_equal [true, 2], [limit.too_slow(Worker.new(12), 9, 22), limit.workers]
    assert_equal [true, 1], [limit.too_slow(Worker.new(23), 2, 33), limit.workers]
    assert limit.reached?(1)
  end

  test "one more may start when as many have become ready" do
    limit = Coppice::Monitor::StartLimit.new
    limit.too_slow(Worker.new(1), 4, 11)

    assert_equal [2, 3, 3, 3, 4], Array.new(5) { limit.tap(&:worker_ready).workers }
  end

  test "a worker that was never forked was not slow" do
    limit = Coppice::Monitor::StartLimit.new

    refute limit.too_slow(Worker.new(nil), 4, 11)
    assert_nil limit.workers
  end

  test "a worker that is too slow while no other starts was not slowed by others" do
    limit = Coppice::Monitor::StartLimit.new

    refute limit.too_slow(Worker.new(1), 1, 11)
    assert_nil limit.workers
  end

  test "slots whose workers always hang do not keep other slots empty" do
    server = server_of(spawn_timeout: 10, **WITHOUT_LOBBY)
    beside_hanging(server, [0, 1]) { server.roster.start_limit.workers == 1 }
    lost = server.roster.ready_workers.last
    server.system.signal(lost.pid, :KILL)
    beside_hanging(server, [0, 1]) { lost.gone? && server.roster.ready_workers.size == 2 }

    assert_equal [2, 3], server.roster.ready_workers.map(&:nr).sort
  end

  test "workers that are all too slow at the first start are followed by fewer, until they become ready" do
    server = server_of(spawn_timeout: 10, log: log = RecordingLog.new, **WITHOUT_LOBBY)

    assert_equal([4, 2, 1], Array.new(3) { start_in_vain(server) })
    assert_equal([2, 1], log.saying("fewer workers start at once").map { |_, _, fields| fields[:limit] })
    server.settle
    server.system.advance(6)
    server.settle

    assert_equal 4, server.roster.ready_workers.size
    assert_nil server.roster.start_limit.workers
  end

  test "the workers of a new release are not limited since those of the one before were too slow" do
    server = settled_server
    roll(server, "/releases/2")
    run_until_trial_is_ready(server)
    server.roster.start_limit.too_slow(server.roster.workers.first, 4, server.system.now)
    server.turn until server.roster.roll.decided?

    assert_equal [:committed, nil], [server.roster.roll.outcome, server.roster.start_limit.workers]
  end

  private

  # Has all workers hang that start at once. Returns how many they were.
  def start_in_vain(server)
    server.system.advance([server.roster.spawns.not_before - server.system.now, 0].max)
    40.times do
      server.turn
      hang_workers(server)
      server.system.processes.values.each { |process| server.system.step(process) }
    end
    starting = server.roster.workers.count(&:starting?)
    [11, 2, 2].each do |seconds| # the signal, KILL, the exit
      server.system.advance(seconds)
      server.turn
    end
    starting
  end

  # Has the workers of these slots hang until the block answers true, or for a long time.
  def beside_hanging(server, slots)
    400.times do
      server.turn
      hang_workers(server, slots)
      server.system.processes.values.each { |process| server.system.step(process) }
      server.system.advance(0.5)
      break if yield
    end
  end

  def hang_workers(server, slots = (0..3))
    workers = server.roster.workers.select { |worker| slots.include?(worker.nr) }
    server.system.processes.values_at(*workers.map(&:pid)).compact.each { |process| process.hanging = true }
  end
end
