# frozen_string_literal: true

require_relative "../../../support/recording_log"
require_relative "../../../support/supervision_test_case"

# What a user may ask for, and what is written down of it.
class RollsTest < SupervisionTestCase
  def rolls = @server.supervision.rolls
  def roll(directory = "/releases/2", **options) = rolls.roll(directory, asked_by: "uid 7", **options)
  def record = @server.board.release_record(@server.board.releases_count)
  def refusal(&) = assert_raises(Coppice::Error, &).message
  def settle_roll(...) = roll(...).tap { @server.settle }

  # The last record's kind, outcome and reason.
  def written
    outcome = Coppice::Board::ROLL_OUTCOMES[record.outcome - 1] if record.outcome.positive?
    [Coppice::Board::ROLL_KINDS[record.kind], outcome, record.reason]
  end

  test "there is one roll at a time" do
    settled_server
    roll("/releases/hangs")

    assert_equal "a roll to /releases/hangs is under way; `coppice rollback` gives up a roll", refusal { roll }
    @server.settle
    rolls.rollback(asked_by: "uid 7")
    roll
    run_until(@server) { @server.roster.roll.decided? }

    assert_equal "/releases/2", @server.roster.release.directory
  end

  test "a roll that cannot begin leaves no record" do
    settled_server

    assert_equal "no Ruby", refusal { roll("/releases/no_ruby") }
    assert_equal [nil, 1], [@server.roster.roll, @server.board.releases_count]
  end

  test "who asked, what for and how it ended are written down" do
    settled_server
    settle_roll

    assert_equal ["roll", "committed", ""], written
    assert_equal ["uid 7", "/releases/2", "2", 2, 1],
      [record.asked_by, record.directory, record.revision, record.number, record.generation]
    rolls.rollback(asked_by: "uid 8")

    assert_equal ["rollback", nil, ""], written
    @server.settle

    assert_equal [["rollback", "committed", ""], 1], [written, record.number]
    settle_roll("/releases/no_gemfile")

    assert_equal ["roll", "given_up", "no Gemfile"], written
  end

  test "the message for which a release is refused is for its user and the log alone" do
    log = RecordingLog.new
    settled_server(log: log)
    settle_roll("/releases/broken_gemfile")

    assert_equal ["roll", "given_up", "KeyError"], written
    message = "KeyError: secret; #{'x' * 982}"

    assert_equal ["KeyError", message], log.saying("roll given up").first.last.values_at(:why, :error)
    assert_equal message, @server.roster.roll.message
  end

  test "a rollback gives up the roll that is under way, and not itself" do
    settled_server
    settle_roll
    @server.system.die(@server.process_of(@server.roster.kept), FakeSystem::Status.new(nil, 9))
    @server.settle
    roll("/releases/hangs")
    @server.turn
    rolls.rollback(asked_by: "uid 8")

    assert_equal ["roll", "given_up", "rollback was asked for by uid 8"], written
    rolls.rollback(asked_by: "uid 8")

    assert_match(/a rollback .* is under way/, refusal { rolls.rollback(asked_by: "uid 9") })
    run_until(@server) { @server.roster.roll.decided? }

    assert_equal ["rollback", "committed", ""], written
  end

  test "a roll that its user gives up is no error, and one that fails is" do
    log = RecordingLog.new
    settled_server(log: log)
    settle_roll("/releases/no_gemfile")
    roll("/releases/hangs")
    @server.turn
    rolls.rollback(asked_by: "uid 8")

    assert_equal %i[error info], log.saying("roll given up").map(&:first)
  end

  test "a check that ends after its roll was given up changes nothing" do
    settled_server
    roll("/releases/endless_check")
    @server.turn

    assert_equal 1, rolls.readers.size
    rolls.rollback(asked_by: "uid 8")

    assert_empty rolls.readers
    @server.system.advance(100)
    @server.settle

    assert_equal ["roll", "given_up", "rollback was asked for by uid 8"], written
  end

  test "too little memory for a second application is refused with the figures, unless it is forced" do
    settled_server
    @server.system.memory_left_kib = 50 * 1024
    settle_roll

    assert_match(/a boot takes 97 MiB.* only 50 MiB of memory are left/, @server.roster.roll.reason)
    settle_roll(force: true)

    assert_equal :committed, @server.roster.roll.outcome
  end

  test "too little memory does not keep a rollback from booting the release before" do
    settled_server(rollback_window: 0)
    settle_roll
    @server.system.memory_left_kib = 50 * 1024
    rolls.rollback(asked_by: "uid 7")
    @server.settle

    assert_equal ["rollback", "committed", ""], written
  end

  test "a lean roll counts the memory of the worker that exits for it" do
    settled_server(roll_strategy: :lean)
    @server.system.memory_left_kib = 97 * 1024
    @server.roster.workers.each { |worker| worker.row.private_kib = 0 }
    settle_roll

    assert_equal :given_up, @server.roster.roll.outcome
    @server.roster.workers.each { |worker| worker.row.private_kib = 1024 }
    settle_roll

    assert_equal :committed, @server.roster.roll.outcome
  end

  test "the pause after a failed refork does not hold up a roll" do
    settled_server(refork_backoff: 1000)
    @server.roster.reforks.failed(@server.system.now, pause: 1000)
    settle_roll

    assert_equal :committed, @server.roster.roll.outcome
  end
end
