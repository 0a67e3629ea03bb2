# frozen_string_literal: true

require "test_helper"
require "coppice/fork_safety/stray_copy"
require_relative "../support/sibling_forking"

class SiblingForkTest < Coppice::TestCase
  include SiblingForking

  test "the sibling is a child of the subreaper and its pid was announced" do
    text, = in_child do
      made = forking.call(announce: ->(pid) { @writer.write("announced #{pid}\n") }) do
        @writer.write("sibling #{Process.pid} #{Process.ppid}\n")
        exit!(7)
      end
      @writer.write("made #{made}\n")
    end
    announced, sibling, parent = text.scan(/\d+/).map(&:to_i)
    status = BoundedWait.status_of(sibling)

    assert_equal sibling, announced
    assert_equal Process.pid, parent
    assert_equal 7, status.exitstatus
    assert_match(/made true/, text)
  end

  test "what prepares a fork is called before each of both, and knows which process exits" do
    text, = in_child do
      forking(prepare: ->(exits) { @writer.puts("#{Process.pid} #{exits}") }).call(announce: ->(_) {}) { exit!(0) }
      @writer.puts("#{Process.pid} caller")
    end
    pids = text.split.each_slice(2).to_h { |pid, word| [word, pid] }
    BoundedWait.status_of(-1)

    assert_equal [%w[false true caller], true], [pids.keys, pids["caller"] == pids["false"]]
    refute_equal pids["true"], pids["false"]
  end

  test "without a descriptor left a fork is waited for all the same" do
    text, = in_child do
      take_all_descriptors
      @writer.write("made #{forking.call(announce: ->(_) {}) { exit!(0) }}")
    end
    BoundedWait.status_of(-1)

    assert_equal "made true", text
  end

  def take_all_descriptors
    Process.setrlimit(:NOFILE, 64, Process.getrlimit(:NOFILE).last)
    @taken = []
    loop { @taken << File.open(File::NULL) }
  rescue Errno::EMFILE
    nil
  end

  class << self
    attr_reader :loads, :begun, :continue

    # The body of a file. Only the first process that loads it is stopped on the way.
    def load_slowly
      @loads << Process.pid
      return if @loads.size > 1

      @begun.push(true)
      @continue.pop
    end
  end

  # Starts a thread that loads a file.
  def load_in_thread(folder)
    self.class.class_eval { @loads, @begun, @continue = [], Thread::Queue.new, Thread::Queue.new }
    File.write("#{folder}/slow.rb", "SiblingForkTest.load_slowly")
    Thread.new { require "#{folder}/slow.rb" }
    self.class.begun.pop
  end

  # Lets that thread finish once the main thread waits.
  def continue_when_waiting
    Thread.new do
      Thread.pass until Thread.main.stop?
      self.class.continue.push(true)
    end
  end

  test "code that a thread loads is loaded before the fork" do
    with_tmpdir do |folder|
      text, = in_child do
        load_in_thread(folder)
        continue_when_waiting
        forking.call(announce: ->(_) {}) do
          require "#{folder}/slow.rb"
          @writer.write("loads #{self.class.loads.size}")
          exit!(0)
        end
      end
      BoundedWait.status_of(-1)

      assert_equal "loads 1", text
    end
  end

  test "a thread that does not finish loading is not waited for any longer" do
    with_tmpdir do |folder|
      text, = in_child do
        load_in_thread(folder)
        siblings = forking(patience: 0.1)
        made = siblings.call(announce: ->(_) {}) { exit!(0) }
        @writer.write("made #{made}, loading #{siblings.loading.size}")
      end
      BoundedWait.status_of(-1)

      assert_equal "made true, loading 1", text
    end
  end

  test "a middle process that hangs is ended after the timeout" do
    text, = in_child do
      siblings = forking(timeout: 0.1)
      made = siblings.call(announce: ->(_) { Process.kill(:STOP, Process.pid) }) { exit!(0) }
      @writer.write("made #{made}: #{siblings.failure}")
    end

    assert_equal "made false: the middle process took longer than 0.1 s", text
    reap_siblings
  end

  # There is none if the machine was so slow that the middle process was killed before it forked.
  def reap_siblings
    loop { BoundedWait.status_of(-1) }
  rescue Errno::ECHILD
    nil
  end

  # What applications do so that their own children leave no zombies. Both reap the middle process as well.
  CHILD_TRAPS = {
    "waits for any child" => lambda do |_|
      Process.wait(-1, Process::WNOHANG)
    rescue Errno::ECHILD
      nil
    end,
    "ignores the signal" => "IGNORE"
  }.freeze

  CHILD_TRAPS.each do |name, handler|
    test "a middle process has not failed when the application's trap #{name}" do
      text, = in_child do
        trap(:CHLD, handler)
        siblings = forking
        made = siblings.call(announce: ->(_) {}) do
          @writer.write("sibling\n")
          exit!(0)
        end
        @writer.write("made #{made} #{siblings.failure}\n")
      end

      assert_equal ["made true ", "sibling"], text.lines(chomp: true).sort
      reap_siblings
    end

    test "a middle process that hangs has failed also when the application's trap #{name}" do
      text, = in_child do
        trap(:CHLD, handler)
        siblings = forking(timeout: 0.1)
        made = siblings.call(announce: ->(_) { Process.kill(:STOP, Process.pid) }) { exit!(0) }
        @writer.write("made #{made}: #{siblings.failure}")
      end

      assert_equal "made false: the middle process took longer than 0.1 s", text
      reap_siblings
    end
  end

  test "a middle process that hangs in a hook ends with the process that forked it" do
    caller = fork do
      hang = -> { @writer.puts(Process.pid) || sleep }
      hook = Module.new { define_method(:_fork) { super().tap { |pid| hang.call if pid.zero? } } }
      Process.singleton_class.prepend(hook)
      forking(timeout: 60).call(announce: ->(_) {}) { exit!(0) }
    end
    middle = BoundedWait.readable(@reader).gets.to_i
    Process.kill(:KILL, caller)
    BoundedWait.status_of(caller)
    status = BoundedWait.status_of(middle) # ours now, as its subreaper's

    assert_equal Signal.list["KILL"], status.termsig
  end

  test "a hook of the fork that fails in the copy makes no second caller" do
    [Errno::ECONNREFUSED, ArgumentError, Interrupt].each do |error|
      @reader, @writer = IO.pipe if @writer.closed?
      text, = in_child do
        hook = Module.new { define_method(:_fork) { super().tap { |pid| raise error if pid.zero? } } }
        Process.singleton_class.prepend(hook)
        $stderr.reopen(File::NULL)
        siblings = forking
        made = siblings.call(announce: ->(_) {}) { exit!(0) }
        @writer.write("made #{made}: #{siblings.failure}")
      end

      assert_equal "made false: the middle process exited with status 71: standard error says why", text
      @reader.close
    end
  end

  test "where the kernel gives no process, or a signal kills the middle one, that is the cause" do
    hook = Module.new { define_method(:_fork) { raise Errno::EAGAIN, "fork(2)" } }
    refused = -> { Process.singleton_class.prepend(hook) }
    killed = -> { @killed = true }
    { refused => "Resource temporarily unavailable - fork(2)",
      killed => "the middle process was killed by SIGKILL" }.each do |prepare, cause|
      @reader, @writer = IO.pipe if @writer.closed?
      text, = in_child do
        prepare.call
        siblings = forking
        announce = ->(pid) { @killed && [pid, Process.pid].each { |one| Process.kill(:KILL, one) } }
        siblings.call(announce: announce) { exit!(0) }
        @writer.write(siblings.failure)
      end

      assert_equal cause, text
      @reader.close
    end
    BoundedWait.status_of(-1) # the sibling of the middle process that was killed
  end

  test "a thread that prevents forks for too long is why there is none, and the next one is made" do
    text, = in_child do
      held, release = Thread::Queue.new, Thread::Queue.new
      thread = Thread.new { @lock.synchronize { (held << true) && release.pop } }
      held.pop
      siblings = forking(patience: 0.1)
      made = [siblings.call(announce: ->(_) {}) { exit!(0) }]
      @writer.puts(siblings.failure)
      release << true
      thread.join
      @writer.puts("made #{made << siblings.call(announce: ->(_) {}) { exit!(0) }}")
    end
    BoundedWait.status_of(-1)

    assert_equal "another thread prevents forks for longer than 0.1 s: Coppice.prevent_fork is for short calls\n" \
                 "made [false, true]\n", text
  end
end
