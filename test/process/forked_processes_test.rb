# frozen_string_literal: true

require "test_helper"
require "coppice/config/service_definition"
require "coppice/service"
require_relative "../support/recording_log"

# This process stands for a service.
class ForkedProcessesTest < Coppice::TestCase
  TINY = { pss: 1024 }.freeze # bytes

  def setup
    @log = RecordingLog.new
  end

  def processes(**limits)
    definition = Coppice::Config::ServiceDefinition.new(name: "jobs", timeout: 10, **limits)
    Coppice::Service::ForkedProcesses.new(definition, @log)
  end

  # The pid of a process that has run the block, and sleeps.
  def forked
    reader, writer = IO.pipe
    pid = fork do
      yield
      writer.write("ready")
      sleep
    end
    BoundedWait.readable(reader)
    pid
  ensure
    [reader, writer].each(&:close)
  end

  # In a process whose end is also that of this fork.
  def fork_until_orphaned
    reader, @kept_open = IO.pipe
    fork do
      @kept_open.close
      reader.read
      exit!(0)
    end
  end

  def kill(pid)
    Process.kill(:KILL, pid)
    BoundedWait.status_of(pid)
  end

  test "a process that has more memory than it may gets TERM" do
    pid = forked { trap(:TERM) { exit!(7) } }
    held = processes(memory_limit: TINY)
    [0.0, 59.0].each { |now| held.look(now) }

    assert_empty @log.lines
    held.look(60.0)

    assert_equal 7, BoundedWait.status_of(pid).exitstatus
    level, message, fields = @log.lines.first

    assert_equal [:info, "recycling a process of the service", pid, :memory],
      [level, message, *fields.values_at(:child_pid, :why)]
  end

  test "one that stays gets no second TERM, and is killed after the time that services have" do
    pid = forked { trap(:TERM, "IGNORE") }
    held = processes(max_age: 3600)
    [0.0, 3600.0, 3609.0].each { |now| held.look(now) }

    assert_equal 1, @log.lines.size
    held.look(3610.0)

    assert_equal Signal.list["KILL"], BoundedWait.status_of(pid).termsig
    assert_equal [:stop_timeout], @log.errors.map { |_, _, fields| fields[:why] }
    held.look(3670.0)

    assert_equal 2, @log.lines.size
  end

  test "programs and what the processes have forked belong to jobs" do
    program = Process.spawn("sleep", "3600")
    parent = forked { fork_until_orphaned }
    held = processes(max_age: 3600)
    [0.0, 3600.0].each { |now| held.look(now) }

    assert_equal([parent], @log.lines.map { |_, _, fields| fields[:child_pid] })
    assert_equal Signal.list["TERM"], BoundedWait.status_of(parent).termsig
  ensure
    kill(program)
  end
end
