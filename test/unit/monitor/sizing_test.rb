# frozen_string_literal: true

require_relative "../../support/family_test_case"

# worker_processes :auto, on a machine of four processors and 4,000,000 KiB.
class SizingTest < FamilyTestCase
  LARGE_MOLD = 2_000_000 # 3,200,000 KiB hold it and one worker of half its size

  def family_with_mold_of(kib, **settings)
    family_of(worker_processes: :auto, **settings).tap { |family| family.system.mold_kib = kib }
  end

  test "processors decide until the mold is ready, then its size does as well, before anybody is forked from it" do
    family = family_with_mold_of(LARGE_MOLD, **WITHOUT_LOBBY)
    before = family.system.last_pid
    assert_equal 6, family.roster.target
    family.settle

    assert_equal [1, 1, 1], [family.roster.target, family.board.workers_count, family.roster.ready_workers.size]
    assert_equal 2, family.system.last_pid - before # the mold and the worker
  end

  test "the same where the mold is warmed up first" do
    family = family_with_mold_of(LARGE_MOLD, warm_up_requests: ["/"])
    family.settle

    assert_equal [1, 1], [family.roster.target, family.roster.ready_workers.size]
  end

  test "a mold that is small, or was not measured, leaves it to the processors" do
    [100_000, 0].each do |kib|
      FakeFamily.open(worker_processes: :auto) do |family|
        family.system.mold_kib = kib
        family.settle

        assert_equal [6, 6], [family.roster.target, family.roster.ready_workers.size]
      end
    end
  end

  test "it is decided once: later molds, and who was asked for more meanwhile, are left alone" do
    family = family_with_mold_of(100_000)
    family.settle
    family.supervision.resize(+1)
    family.system.mold_kib = LARGE_MOLD
    family.supervision.refork
    family.settle

    assert_equal [7, 7], [family.roster.target, family.roster.ready_workers.size]
  end

  test "whoever asks for one less before the mold is ready has decided" do
    family = family_with_mold_of(LARGE_MOLD)
    family.supervision.resize(-1)
    family.settle

    assert_equal 5, family.roster.target
  end
end
