# frozen_string_literal: true

require_relative "../../../support/supervision_test_case"
require_relative "../../../support/traffic"

# worker_processes 2..16, on a machine of four processors and 4,000,000 KiB.
class ElasticityTest < SupervisionTestCase
  def elastic_server(bounds = 2..16, **settings)
    @traffic = Traffic.new(settled_server(worker_processes: bounds, **settings))
    @traffic.server
  end

  def workers = @server.roster.ready_workers.size

  test "it begins with the least" do
    elastic_server

    assert_equal 2, workers
    assert_equal [2, 16], [@server.board.workers_least, @server.board.workers_most]
  end

  test "requests that wait for another service get as many workers as wait" do
    elastic_server
    @traffic.play(3.0, clients: 12)

    assert_equal 12, workers
  end

  test "a look that is late is made at once" do
    elastic_server
    @traffic.play(0.2, clients: 12)
    @server.system.advance(0.5) # the turn took so long

    assert_operator @server.supervision.seconds_until_due, :<=, 0.02
  end

  test "after a pause nothing is known, and no worker is forked for what one look shows" do
    elastic_server
    @traffic.play(0.1, clients: 12)
    @server.system.advance(5)
    @traffic.play(0.1, clients: 12)

    assert_equal 2, workers
  end

  test "there are never more than the most" do
    elastic_server
    @traffic.play(5.0, clients: 40)

    assert_equal 16, workers
  end

  test "none is added where processors are what is short" do
    elastic_server
    @traffic.play(10.0, clients: 16, computing: 1.0)

    assert_equal 6, workers # 1.5 for each processor
  end

  test "where another worker would not help the monitor looks less often" do
    elastic_server
    looks = [[0.2, 0.0], [3.0, 1.0]].map do |seconds, computing|
      @traffic.play(seconds, clients: 16, computing: computing)
      @server.system.advance(0.1)
      @server.supervision.turn
      (@server.supervision.seconds_until_due * 100).round
    end

    assert_equal [10, 25], looks
  end

  test "requests that compute half of their time get twice as many" do
    elastic_server
    @traffic.play(10.0, clients: 16, computing: 0.5)

    assert_equal 12, workers
  end

  test "a request that waits for a moment is not worth a worker" do
    elastic_server
    @traffic.play(5.0, clients: 4, seconds: 0.004)

    assert_equal 2, workers
  end

  test "workers that were not needed for a while leave, half of them at a time, and one to spare stays" do
    elastic_server
    @traffic.play(3.0, clients: 16)
    @traffic.play(21.0, clients: 4)
    after_a_while = workers
    @traffic.play(60.0, clients: 4)

    assert_equal [10, 5], [after_a_while, workers]
  end

  test "nobody leaves while they are needed from time to time" do
    elastic_server
    @traffic.play(3.0, clients: 16)
    6.times do
      @traffic.play(7.0, clients: 2)
      @traffic.play(1.0, clients: 16)
    end

    assert_equal 16, workers
  end

  test "an idle server goes back to the least" do
    elastic_server
    @traffic.play(3.0, clients: 16)
    @traffic.play(60.0, clients: 0)

    assert_equal 2, workers
  end

  test "workers that compute all at once leave until they do not delay each other" do
    elastic_server
    @traffic.play(3.0, clients: 16)
    @traffic.play(30.0, clients: 16, computing: 1.0)

    assert_equal 6, workers
  end

  test "workers that bring no more answers leave again, and the number holds for a minute" do
    elastic_server
    @traffic.limit = 20.0 # responses per second, however many workers there are: a lock
    @traffic.play(1.0, clients: 12, seconds: 0.1)
    grown = workers
    @traffic.play(9.0, clients: 12, seconds: 0.1)
    shrunk = workers
    @traffic.play(40.0, clients: 12, seconds: 0.1)

    assert_operator grown, :>, 4
    assert_equal [2, 2], [shrunk, workers]
  end

  test "once nobody has waited for a moment, another load gets its workers within that minute" do
    elastic_server
    @traffic.limit = 20.0
    @traffic.play(10.0, clients: 12, seconds: 0.1)
    bounded = workers
    @traffic.limit = Float::INFINITY
    @traffic.play(3.0, clients: 0)
    @traffic.play(3.0, clients: 12)

    assert_equal [2, 12], [bounded, workers]
  end

  test "requests of many seconds are judged when some of them are answered" do
    elastic_server
    @traffic.play(60.0, clients: 16, seconds: 8.0)

    assert_equal 16, workers
  end

  test "no worker is forked for which there is no memory" do
    elastic_server
    @server.system.memory_left_kib = 550_000 # 400,000 stay free
    @server.roster.workers.each { |worker| worker.row.private_kib = 50_000 }
    @traffic.play(5.0, clients: 16)

    assert_operator workers, :<=, 5
  end

  test "none is forked while processes wait for memory" do
    elastic_server
    @server.system.memory_pressure = 20.0
    @traffic.play(5.0, clients: 16)

    assert_equal 2, workers
  end

  test "a request whose application says that it waits is replaced at once" do
    elastic_server
    @traffic.play(0.1, clients: 2)
    @server.roster.ready_workers.each { |worker| worker.row.waits_ms = worker.row.started_ms }
    @traffic.play(0.3, clients: 2)

    assert_equal 4, workers
  end

  test "TTIN and TTOU move both ends; a number holds whatever the load is, until the configured one is wanted" do
    elastic_server
    2.times { @server.operations.resize(+1) }
    @server.settle
    moved = [workers, @server.board.workers_least, @server.board.workers_most]
    @server.operations.resize_to(3)
    @traffic.play(5.0, clients: 16)
    fixed = [workers, @server.board.workers_most]
    @server.operations.follow_configuration
    @traffic.play(5.0, clients: 16)

    assert_equal [[4, 4, 18], [3, 3], 16], [moved, fixed, workers]
  end

  def serve(requests)
    @server.roster.ready_workers.first.row.requests += requests
    @server.settle
    @server.roster.generation
  end

  test "the mold is warm before it has to fork more workers" do
    elastic_server(refork_after: [1000])
    generations = [24, 1, 100].map { |requests| serve(requests) }

    assert_equal [0, 1, 1], generations
    refute_predicate @server.roster.mold, :cold?
  end

  test "without refork_after it stays cold" do
    elastic_server

    assert_equal 0, serve(100)
  end

  # Requests that differ in all that is decided by, for a minute and a half each.
  test "under a load that stays the same the number stays within the ends, and soon stays the same" do
    random = Random.new(20_261_128)
    10.times do
      FakeServer.open(worker_processes: 2..16) do |server|
        server.settle
        traffic = Traffic.new(server)
        load = { clients: random.rand(25), seconds: [0.02, 0.2, 3.0].sample(random: random),
                 computing: random.rand(11) / 10.0 }
        traffic.play(45.0, **load)
        numbers = Array.new(45) { traffic.play(1.0, **load) && server.roster.wanted }

        assert_equal [numbers.first], numbers.uniq, load
        assert_includes 2..16, numbers.first
      end
    end
  end

  test "a spike in a rollout is met, and one while a mold is on trial" do
    elastic_server(canary: true)
    @traffic.play(1.0, clients: 2)
    @server.operations.refork
    run_until(@server) { @server.roster.trial }
    @traffic.play(0.8, clients: 10)
    on_trial = @server.roster.candidate && workers
    @traffic.play(5.0, clients: 10)

    assert_equal [10, 10], [on_trial, workers]
  end
end
