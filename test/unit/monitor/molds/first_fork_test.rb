# frozen_string_literal: true

require_relative "../../../support/recording_log"
require_relative "../../../support/supervision_test_case"

# The first fork of a mold, before which the user's hook may take long.
class FirstForkTest < SupervisionTestCase
  test "a mold has three times as long for its first fork, whose hook may prepare what all workers share" do
    server = server_of(spawn_timeout: 10)
    mold = turn_until_mold(server)
    server.process_of(mold).hanging = true

    assert_equal [:requested], server.roster.workers.map(&:state)
    assert_killed_after(server, mold, 30)
  end

  test "the log names the hook in which a child was late, and the option" do
    output = StringIO.new
    server = server_of(spawn_timeout: 10, log: Coppice::Log.new(output, role: :monitor))
    mold = turn_until_mold(server)
    server.process_of(mold).hanging = true
    mold.row.hook = "before_fork"
    server.system.advance(31)
    server.turn

    assert_match(/"killing a child".* why=spawn_timeout during=before_fork remedy="raise spawn_timeout/, output.string)
  end

  test "where no hook runs the log names the option too, which is another one of a process that boots" do
    server = server_of(boot_timeout: 50, log: log = RecordingLog.new)
    server.turn
    server.process_of(server.roster.candidate).hanging = true
    server.system.advance(51)
    server.turn

    remedies = log.saying("killing a child").map { |_, _, fields| fields.values_at(:child, :remedy) }

    assert_includes remedies, [:mold, "raise boot_timeout if the start needs more time"]
  end
end
