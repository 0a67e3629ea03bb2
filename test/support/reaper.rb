# frozen_string_literal: true

require_relative "child_processes"

# The parent of a test file's process. It sees to it that no process survives which the file has started, however far
# from itself.
#
# It is a subreaper, so the kernel makes it the parent of processes that lost theirs, whatever group or session they
# have. Who is still there a while after the file has ended is killed and reported, and the exit status is 1. TERM
# interrupts the file, so that it can show the logs of its servers, and kills it if that does not end it.
class Reaper
  PR_SET_CHILD_SUBREAPER = 36
  # That processes may take to exit once their parent is gone, or they were interrupted.
  SECONDS = Float(ENV.fetch("COPPICE_REAPER_SECONDS", 10))
  PAUSE = 0.02

  # report: where it writes the exit status, and the seconds of the processors that all of it has taken.
  #: (IO) -> void
  def initialize(report)
    @report = report
  end

  # Runs the block in a process of its own, and ends this one.
  #: () { () -> void } -> bot
  def run(&file)
    Process.setpgid(0, 0)
    become_subreaper if RUBY_PLATFORM.include?("linux") # only Linux has them
    reader, writer = IO.pipe
    pid = fork_file([reader, writer, @report], &file)
    trap(:TERM) { writer.write_nonblock(".") }
    Thread.new { reader.read(1) && interrupt(pid) }
    status = wait_for(pid)
    warn "the file was ended by a signal: #{status}" if status.signaled?
    left = leftovers
    left.each { |other, name| warn "LEAK: this file leaves the process #{other} (#{name})" }
    end_all
    code = left.empty? && status.exited? ? status.exitstatus : 1
    @report.syswrite("#{code} #{Process.times.to_a.sum}")
    exit!
  end

  private

  # Both processes set the group, so that it is there whichever of them is first.
  def fork_file(ours)
    pid = fork do
      ours.each(&:close)
      Process.setpgid(0, 0)
      yield
    end
    Process.setpgid(pid, pid)
    pid
  rescue Errno::EACCES, Errno::ESRCH # it has become another program, or has ended
    pid
  end

  def become_subreaper
    CLibrary.call("prctl", PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
  end

  # Also reaps those that it has inherited.
  def wait_for(pid)
    loop do
      ended, status = Process.wait2
      return status if ended == pid
    end
  end

  def interrupt(pid)
    Process.kill(:INT, pid)
    sleep SECONDS
    Process.kill(:KILL, -pid)
  rescue Errno::ESRCH
    nil # it has ended
  end

  # Processes that do not exit by themselves within a while: their names by their pids.
  def leftovers
    deadline = now + SECONDS
    reap
    until (found = children).empty? || now > deadline
      sleep PAUSE
      reap
    end
    found.to_h { |pid| [pid, name_of(pid)] }
  end

  # Their own children come to us when they die.
  def end_all
    until (found = children).empty?
      found.each { |pid| kill(pid) }
      sleep PAUSE
      reap
    end
  end

  def kill(pid)
    Process.kill(:KILL, pid)
  rescue Errno::ESRCH
    nil
  end

  def reap
    nil while Process.wait(-1, Process::WNOHANG)
  rescue Errno::ECHILD
    nil
  end

  def children = ChildProcesses.of("self")

  def name_of(pid)
    File.read("/proc/#{pid}/cmdline").tr("\0", " ").strip[0, 100]
  rescue SystemCallError
    "?"
  end

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
end
