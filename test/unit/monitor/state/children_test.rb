# frozen_string_literal: true

require_relative "../../../support/supervision_test_case"

# The random histories check after each turn that the groups are what a look at all children would find.
class ChildrenTest < SupervisionTestCase
  test "a child that was told to exit leaves the groups that it no longer belongs to, and joins others" do
    children = settled_server.roster.children
    worker = children[:ready_workers].to_a.first
    worker.signalled_at = 1.0

    assert_includes children[:signalled].to_a, worker
    worker.move(:leaving)

    refute_includes children[:signalled].to_a, worker
    refute_includes children[:ready_workers].to_a, worker
    assert_includes children[:workers].to_a, worker
  end

  test "a group whose condition depends on more is looked at anew once that has changed" do
    limit = 2
    group = settled_server.roster.children.group(basis: -> { limit }) { |handle| handle.worker? && handle.nr < limit }

    assert_equal [0, 1], group.to_a.map(&:nr).sort
    limit = 3

    assert_equal 3, group.size
  end

  test "a child that was removed is in no group, and neither its pid nor its slot is known any more" do
    roster = settled_server.roster
    worker = roster.ready_workers.find { |one| one.nr == 2 }
    roster.remove(worker)

    refute_includes roster.handles, worker
    refute roster.children.by_pid.key?(worker.pid)
    assert_equal 2, roster.empty_slot
    worker.signalled_at = 1.0

    assert_empty roster.children[:signalled].to_a
  end

  test "a child that cannot be watched is not there, and its slot is free" do
    roster = settled_server.roster
    worker = roster.ready_workers.first
    roster.remove(worker)
    roster.children.on_add = ->(_) { raise Errno::ENOSPC }

    assert_raises(Errno::ENOSPC) { roster.add(worker) }
    assert_equal [worker.nr, 3], [roster.empty_slot, roster.workers.size]
  end

  test "each process of the lobby is known by its pid" do
    server = settled_server
    lobby = server.roster.lobby

    assert_equal [lobby], server.roster.children.by_pid.values_at(*lobby.pids).uniq
    pid = lobby.pid
    lobby.forget(pid)

    assert_nil server.roster.children.by_pid[pid]
  end

  test "the first empty slot beyond a number is not one that a worker owns" do
    roster = settled_server.roster

    assert_equal [nil, 4, 4, 6], [roster.empty_slot, roster.empty_slot(beyond: 1), roster.spare_slot,
                                  roster.children.slots.first_empty_from(6)]
  end
end
