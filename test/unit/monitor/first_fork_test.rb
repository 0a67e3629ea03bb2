# frozen_string_literal: true

require_relative "../../support/supervision_test_case"

# The first fork of a mold, before which the user's hook may take long.
class FirstForkTest < SupervisionTestCase
  # The mold has been asked for the first worker then, and has not looked yet.
  def turn_until_mold(server)
    10.times do
      server.turn
      break if server.roster.mold

      server.system.processes.values.each { |process| server.system.step(process) }
    end
  end

  test "a mold has three times as long for its first fork, whose hook may prepare what all workers share" do
    server = server_of(spawn_timeout: 10)
    turn_until_mold(server)
    mold = server.roster.mold
    server.process_of(mold).hanging = true

    assert_equal [:requested], server.roster.workers.map(&:state)
    server.system.advance(29)
    server.turn

    assert_nil mold.kill_reason
    server.system.advance(2)
    server.turn

    assert_equal :spawn_timeout, mold.kill_reason
  end

  test "the log names the hook in which a child was late, and the option" do
    output = StringIO.new
    server = server_of(spawn_timeout: 10, log: Coppice::Log.new(output, role: :monitor))
    turn_until_mold(server)
    server.process_of(server.roster.mold).hanging = true
    server.roster.mold.row.hook = "before_fork"
    server.system.advance(31)
    server.turn

    assert_match(/"killing a child".* why=spawn_timeout during=before_fork remedy="raise spawn_timeout/, output.string)
  end
end
