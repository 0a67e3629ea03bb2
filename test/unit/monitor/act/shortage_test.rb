# frozen_string_literal: true

require_relative "../../../support/recording_log"
require_relative "../../../support/supervision_test_case"

# A system that has no descriptor or process to give.
class ShortageTest < SupervisionTestCase
  EMFILE = Errno::EMFILE.new.message

  def starved_server
    settled_server(log: @log = RecordingLog.new).tap do |server|
      server.system.refusals = 1000
      lose_worker(server)
    end
  end

  def lose_worker(server)
    server.system.signal(server.roster.ready_workers.last.pid, :KILL)
    server.turn
  end

  # Seconds until the next attempt, which fails.
  def pause(server)
    (server.roster.spawns.not_before - server.system.now).round(3).tap do |seconds|
      server.system.advance(seconds)
      server.turn
    end
  end

  def shortages = @log.saying("could not start")

  test "the log says once what could not be started, how many workers there are, and the limit" do
    server = starved_server
    5.times { pause(server) }

    expected = { error: EMFILE, workers: 3, wanted: 4, descriptors: 256, remedy: "raise the hard limit (ulimit -Hn)" }

    assert_equal [[:error, "could not start a worker", expected]], shortages
  end

  test "the pause grows from one attempt to the next, and shortens no other" do
    server = starved_server
    server.roster.reforks.wait_until(later = server.system.now + 60)

    assert_equal [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0], Array.new(8) { pause(server) }
    assert_equal later, server.roster.reforks.not_before
  end

  test "after a success a shortage is news again, and the pauses begin anew" do
    server = starved_server
    3.times { pause(server) }
    server.system.refusals = 0
    pause(server)
    server.settle

    assert_equal 4, server.roster.ready_workers.size
    server.system.advance(2)
    server.system.refusals = 1000
    lose_worker(server)

    assert_equal [2, 0.1], [shortages.size, pause(server)]
  end

  test "a guest that cannot be started is told of each time, and delays nothing" do
    server = settled_server(log: @log = RecordingLog.new, guests: 4)
    server.system.refusals = 2
    2.times { assert_raises(Coppice::Error) { server.start_guest } }
    lose_worker(server)
    server.settle

    assert_equal ["could not start a guest"] * 2, shortages.map { |_, text, _| text }
    assert_equal 4, server.roster.ready_workers.size
  end

  test "a guest that is started ends no shortage of workers" do
    server = settled_server(log: @log = RecordingLog.new, guests: 4)
    server.system.refusals = 1
    lose_worker(server)
    server.start_guest

    assert_equal 0.1, (server.roster.spawns.not_before - server.system.now).round(3)
    server.system.refusals = 1000
    pause(server)

    assert_equal [1, 0.2], [shortages.size, (server.roster.spawns.not_before - server.system.now).round(3)]
  end
end
