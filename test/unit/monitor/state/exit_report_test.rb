# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/board"
require "coppice/control/messages"
require "coppice/monitor/state/exit_report"
require "coppice/monitor/state/handle"

class ExitReportTest < Coppice::TestCase
  Status = Struct.new(:exitstatus, :termsig) do
    def signaled? = !termsig.nil?
    def exited? = !exitstatus.nil?
    def success? = exitstatus&.zero?
  end

  def setup
    @board = Coppice::Board.create
    @row = @board.row(0).tap { |row| row.assign(role: :worker, nr: 3, generation: 1) }
    @row.requests = 7
  end

  def teardown
    @board.close
  end

  def handle_in(state, **known)
    path = { requested: [], ready: %i[forked registered ready], leaving: %i[forked leaving] }.fetch(state)
    kind = Coppice::Monitor::ChildKind.new(:worker, nr: 3, generation: 1)
    handle = Coppice::Monitor::Handle.new(kind, row: @row, channel: nil, deadline: 1.0)
    handle.pid = 42 unless path.empty?
    path.each { |step| step == :forked ? handle.note_fork(940.0) : handle.move(step) }
    known.each { |name, value| handle.public_send(:"#{name}=", value) }
    handle
  end

  def report_on(handle, status, **known) = Coppice::Monitor::ExitReport.new(handle, status, now: 1000.0, **known)

  test "the summary names the signal and who sent it, or the status, as far as they are known" do
    {
      [:ready, nil, Status.new(nil, 9)] => "killed by SIGKILL",
      [:ready, :spawn_timeout, Status.new(nil, 9)] => "killed by SIGKILL (spawn_timeout)",
      [:ready, nil, Status.new(3, nil)] => "status 3, the log says why",
      [:ready, nil, Status.new(0, nil)] => "status 0",
      [:requested, nil, nil] => "the log says why"
    }.each do |(state, kill_reason, status), expected|
      assert_equal expected, report_on(handle_in(state, kill_reason: kill_reason), status).summary
    end
  end

  test "the summary of a worker that exits after a request past its deadline says so" do
    @row.timed_out = 1

    assert_equal "a request timed out, as the log says", report_on(handle_in(:ready), Status.new(0, nil)).summary
  end

  test "the summary has the exception that the child has reported in place of a hint" do
    failure = Coppice::Control::Messages::Failed.new(error: "RuntimeError (config.ru:1)", message: "a secret")
    failed = handle_in(:ready, failure: failure)

    assert_equal "status 3, RuntimeError (config.ru:1)", report_on(failed, Status.new(3, nil)).summary
    assert_equal "killed by SIGKILL, after RuntimeError (config.ru:1)", report_on(failed, Status.new(nil, 9)).summary
  end

  test "the cause of an end is told from what we did and what the kernel says" do
    {
      [:leaving, nil, Status.new(0, nil)] => [:asked, :debug],
      [:leaving, nil, Status.new(nil, 15)] => [:asked, :debug],
      [:leaving, nil, Status.new(nil, 9)] => [:signal, :error],
      [:leaving, nil, Status.new(1, nil)] => [:failed, :error],
      [:ready, nil, Status.new(0, nil)] => [:exited_by_itself, :info],
      [:ready, nil, Status.new(3, nil)] => [:failed, :error],
      [:ready, nil, Status.new(nil, 11)] => [:signal, :error],
      [:ready, nil, nil] => [:vanished, :error],
      [:leaving, :request_timeout, Status.new(nil, 9)] => [:request_timeout, :error],
      [:leaving, :shutdown, Status.new(nil, 9)] => [:shutdown, :debug],
      [:requested, nil, nil] => [:never_forked, :error]
    }.each do |(state, kill_reason, status), expected|
      report = report_on(handle_in(state, kill_reason: kill_reason), status)

      assert_equal expected, [report.cause, report.level], [state, kill_reason, status].inspect
    end
  end

  test "every cause that a report can have has a place" do
    report, watchdog = %w[state/exit_report decide/watchdog].map { |path| File.read("lib/coppice/monitor/#{path}.rb") }
    of_status = report[/def cause_of.*?^      end/m].scan(/ :([a-z_]+)/)
    of_watchdog = watchdog.scan(/ :([a-z]+_(?:timeout|ring|seat)|unresponsive)/)
    causes = (of_status + of_watchdog).flatten.uniq

    assert_operator causes.size, :>, 10
    assert_empty causes - Coppice::Board::EXIT_CAUSES
    assert_operator Coppice::Board::EXIT_CAUSES.size, :<=, Coppice::Board::EXIT_CAUSES_ROOM
    assert_operator Coppice::Roles::TABLE.size, :<=, Coppice::Board::EXIT_ROLES
  end

  test "a mold that was told to stop while Ruby started was asked, unless it has reported a failure" do
    failed = Coppice::Control::Messages::Failed.new(error: "RuntimeError (config.ru:1)", message: "no")
    handles = [nil, failed].map do |failure|
      kind = Coppice::Monitor::ChildKind.new(:mold, generation: 0)
      mold = Coppice::Monitor::Handle.new(kind, row: @row, channel: nil, deadline: 1.0)
      mold.pid = 42
      mold.note_fork(940.0)
      mold.move(:leaving)
      mold.tap { mold.failure = failure }
    end

    assert_equal(%i[asked failed], handles.map { |mold| report_on(mold, Status.new(1, nil)).cause })
  end

  test "a worker that was in a request is reported with it, and a killed one with the stack that it has left" do
    @row.started_ms = 990_000
    @row.request = "GET /report"
    @row.request_id = "a1"
    @row.stack = "app.rb:1:in `sleep'"
    { request_timeout: "app.rb:1:in `sleep'", stop_timeout: "app.rb:1:in `sleep'", unresponsive: nil }
      .each do |reason, stack|
        report = report_on(handle_in(:leaving, kill_reason: reason), Status.new(nil, 9))

        assert_equal ["GET /report", "a1", 10.0], report.to_log.values_at(:request, :request_id, :request_age)
        stack.nil? ? assert_nil(report.stack) : assert_equal(stack, report.to_log[:stack])
      end
  end

  test "a request whose client has its response is reported as answered" do
    @row.started_ms = 966_000
    killed = handle_in(:leaving, kill_reason: :request_timeout)

    refute_includes report_on(killed, Status.new(nil, 9)).to_log.keys, :answered_ago
    @row.answered_ms = 997_500

    assert_equal [34.0, 2.5], report_on(killed, Status.new(nil, 9)).to_log.values_at(:request_age, :answered_ago)
  end

  test "a request without an ID, and an exit without a stack, are reported without" do
    @row.started_ms = 990_000
    report = report_on(handle_in(:leaving, kill_reason: :request_timeout), Status.new(nil, 9))

    assert_equal [nil, nil], [report.request_id, report.stack]
    refute_includes report.to_log.keys, :request_id
  end

  test "a worker that left because of a timeout of its own says so, unless it came to another end" do
    @row.timed_out = 1
    {
      [:ready, nil, Status.new(0, nil)] => [:timeout, :info],
      [:ready, nil, Status.new(1, nil)] => [:timeout, :info],
      [:leaving, nil, Status.new(0, nil)] => [:timeout, :info],
      [:ready, nil, Status.new(nil, 11)] => [:signal, :error],
      [:ready, :request_timeout, Status.new(nil, 9)] => [:request_timeout, :error],
      [:ready, nil, nil] => [:vanished, :error]
    }.each do |(state, kill_reason, status), expected|
      report = report_on(handle_in(state, kill_reason: kill_reason), status)

      assert_equal expected, [report.cause, report.level], [state, kill_reason, status].inspect
    end
  end

  test "a kill that moved the kernel's counter was for want of memory" do
    report = report_on(handle_in(:ready), Status.new(nil, 9), out_of_memory: true)

    assert_equal :out_of_memory, report.cause
  end

  test "the log line has who, why, how old, and with how much memory" do
    expected = { child: :worker, nr: 3, gen: 1, child_pid: 42,
                 why: :signal, signal: "SEGV", requests: 7, age: 60.0, peak_mib: 70 }
    report = report_on(handle_in(:ready), Status.new(nil, 11), peak_kib: 70 * 1024)

    assert_equal expected, report.to_log
  end

  test "the request in flight is told, and that of before is not" do
    @row.request = "GET /products"

    assert_nil report_on(handle_in(:ready), Status.new(nil, 9)).request
    @row.started_ms = 999_500
    report = report_on(handle_in(:ready), Status.new(nil, 9))

    assert_equal ["GET /products", 0.5], [report.request, report.request_age]
  end

  test "what it says stays when its row is another's" do
    report = report_on(handle_in(:ready), Status.new(nil, 9))
    @row.clear

    assert_equal 7, report.requests
  end
end
