# frozen_string_literal: true

require "coppice"
require "coppice/os/fork_lock"
require "coppice/os/sibling_fork"
require_relative "bounded_wait"

# For tests of SiblingFork with real processes: the test is the monitor, its child the mold, its grandchild the middle
# process, and the sibling comes back to the test. Children write to @writer.
module SiblingForking
  def setup
    @lock = Coppice::OS::ForkLock.new
    Coppice::OS.become_subreaper
    @reader, @writer = IO.pipe
  end

  def teardown
    [@reader, @writer].each { |io| io.close unless io.closed? }
  end

  # Runs the block in a child; returns what was written, and the child's exit status.
  #: () { () -> void } -> [String, Process::Status]
  def in_child
    child = fork do
      @reader.close
      yield
      exit!(0)
    end
    @writer.close
    [BoundedWait.read(@reader), BoundedWait.status_of(child)]
  end

  #: (?timeout: Numeric, ?patience: Numeric, **untyped) -> Coppice::OS::SiblingFork
  def forking(timeout: 60, patience: 60, **options)
    Coppice::OS::SiblingFork.new(lock: @lock, timeout: timeout, patience: patience, **options)
  end
end
