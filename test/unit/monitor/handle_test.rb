# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/monitor/exit_report"
require "coppice/monitor/handle"

class HandleTest < Coppice::TestCase
  Lifecycle = Coppice::Monitor::Lifecycle
  Status = Struct.new(:exitstatus, :termsig) do
    def signaled? = !termsig.nil?
    def success? = exitstatus&.zero?
  end
  Row = Struct.new(:requests)

  def handle_in(state)
    handle = Coppice::Monitor::Handle.new(role: :worker, nr: 3, generation: 1, row: Row.new(7), channel: nil, deadline: nil)
    path_to(state).each { |step| handle.move(step) }
    handle
  end

  def path_to(state)
    straight = [:forked, :registered, :ready, :leaving, :gone]
    straight.first(straight.index(state).to_i + (straight.include?(state) ? 1 : 0))
  end

  test "every legal move is made and every other refused" do
    Lifecycle::MOVES.each do |from, legal|
      Lifecycle::MOVES.each_key do |to|
        handle = handle_in(from)
        if legal.include?(to)
          handle.move(to)
          assert_equal to, handle.state
        else
          assert_raises(Coppice::Bug) { handle.move(to) }
        end
      end
    end
  end

  test "the cause of an end is told from what we did and what the kernel says" do
    {
      [:leaving, nil, Status.new(0, nil)] => [:asked, :debug],
      [:leaving, nil, Status.new(nil, 15)] => [:asked, :debug],
      [:leaving, nil, Status.new(nil, 9)] => [:signal, :error],
      [:leaving, nil, Status.new(1, nil)] => [:failed, :error],
      [:ready, nil, Status.new(0, nil)] => [:left, :info],
      [:ready, nil, Status.new(3, nil)] => [:failed, :error],
      [:ready, nil, Status.new(nil, 11)] => [:signal, :error],
      [:leaving, :request_timeout, Status.new(nil, 9)] => [:request_timeout, :error],
      [:leaving, :shutdown, Status.new(nil, 9)] => [:shutdown, :debug],
      [:requested, nil, nil] => [:never_forked, :error]
    }.each do |(state, ended_for, status), expected|
      handle = handle_in(state)
      handle.ended_for = ended_for
      report = Coppice::Monitor::ExitReport.new(handle, status)

      assert_equal expected, [report.cause, report.level], [state, ended_for, status].inspect
    end
  end

  test "a report names child, slot, generation, signal and requests" do
    handle = handle_in(:ready)
    handle.pid = 42
    fields = Coppice::Monitor::ExitReport.new(handle, Status.new(nil, 11)).to_log

    assert_equal({ child: :worker, nr: 3, gen: 1, child_pid: 42, why: :signal, signal: "SEGV", requests: 7 }, fields)
  end
end
