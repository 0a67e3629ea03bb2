# frozen_string_literal: true

require_relative "../../../support/supervision_test_case"

# worker_processes :auto, on a machine of four processors and 4,000,000 KiB.
class SizingTest < SupervisionTestCase
  LARGE_MOLD = 2_000_000 # 3,200,000 KiB hold it and one worker of half its size

  def server_with_mold_of(kib, **settings)
    server_of(worker_processes: :auto, **settings).tap { |server| server.system.mold_kib = kib }
  end

  test "processors decide until the mold is ready, then its size does as well, before anybody is forked from it" do
    server = server_with_mold_of(LARGE_MOLD, **WITHOUT_LOBBY)
    before = server.system.last_pid
    assert_equal 6, server.roster.target
    server.settle

    assert_equal [1, 1, 1], [server.roster.target, server.board.workers_count, server.roster.ready_workers.size]
    assert_equal 2, server.system.last_pid - before # the mold and the worker
  end

  test "the same where the mold is warmed up first" do
    server = server_with_mold_of(LARGE_MOLD, warm_up_requests: ["/"])
    server.settle

    assert_equal [1, 1], [server.roster.target, server.roster.ready_workers.size]
  end

  test "a mold that is small, or was not measured, leaves it to the processors" do
    [100_000, 0].each do |kib|
      FakeServer.open(worker_processes: :auto) do |server|
        server.system.mold_kib = kib
        server.settle

        assert_equal [6, 6], [server.roster.target, server.roster.ready_workers.size]
      end
    end
  end

  test "it is decided once: later molds, and who was asked for more meanwhile, are left alone" do
    server = server_with_mold_of(100_000)
    server.settle
    server.operations.resize(+1)
    server.system.mold_kib = LARGE_MOLD
    server.operations.refork
    server.settle

    assert_equal [7, 7], [server.roster.target, server.roster.ready_workers.size]
  end

  test "a user who asks for one less before the mold is ready has decided" do
    server = server_with_mold_of(LARGE_MOLD)
    server.operations.resize(-1)
    server.settle

    assert_equal 5, server.roster.target
  end
end
