# frozen_string_literal: true

# lane: soak -- each test boots and forks an application three times

require "test_helper"
require_relative "../../support/doctor_test_case"

# `coppice doctor` over applications that are built to fail it, one for each way in which a fork can break a library.
class DoctorFindingsTest < DoctorTestCase
  # Class A: the library notices the fork itself.
  test "a thread that a library starts again, and a connection that it drops, are only told" do
    with_peer do |port|
      part = <<~RUBY
        def self.use
          start unless @pid == Process.pid
        end
        def self.start
          @pid = Process.pid
          @thread = Thread.new { sleep }
          @socket&.close
          @socket = TCPSocket.new("127.0.0.1", #{port})
        end
      RUBY
      status, _, report = findings_of(part)

      assert_equal [0, "ready"], [status, report[:verdict]], report
      assert_includes report[:notes].join, "127.0.0.1:#{port}"
    end
  end

  # Class B: the copies send what the parent has not sent yet.
  test "a queue with contents is found" do
    part = "QUEUE = Queue.new\ndef self.use = QUEUE << :event"
    status, found, report = findings_of(part)

    assert_equal [0, "care"], [status, report[:verdict]]
    assert_equal "config.ru:#{line_of(part, 'Queue.new')}", found.fetch(:copied_queue)[:place]
  end

  # Class C
  test "a thread that nothing starts again is found" do
    part = "def self.use = @thread ||= Thread.new { sleep }.tap { |thread| thread.name = 'poller' }"
    status, found, report = findings_of(part)

    assert_equal [1, "danger"], [status, report[:verdict]]
    assert_equal "poller config.ru:#{line_of(part, 'Thread.new')}", found.fetch(:missing_thread)[:owner]
    assert_equal ["worker of generation 1", "worker of generation 2"], found.fetch(:missing_thread)[:processes]
  end

  # Class D
  test "a connection that is opened at boot, or by the first request, is found" do
    with_peer do |port|
      opened = "TCPSocket.new('127.0.0.1', #{port})"
      ["SOCKET = #{opened}\ndef self.use = nil", "def self.use = @socket ||= #{opened}"].each do |part|
        status, found, = findings_of(part)

        assert_equal 1, status
        assert_equal "tcp 127.0.0.1:#{port}", found.fetch(:shared_connection)[:owner]
        assert_equal "config.ru:#{line_of(part, 'TCPSocket')}", found.fetch(:shared_connection)[:place]
      end
    end
  end

  test "a connection that a hook closes before the fork is not found" do
    with_peer do |port|
      part = "def self.use = @socket ||= TCPSocket.new('127.0.0.1', #{port})\ndef self.stop = @socket = @socket&.close"
      status, _, report = findings_of(part, config: "before_fork { Part.stop }")

      assert_equal [0, "ready"], [status, report[:verdict]], report
    end
  end

  # Class E
  test "a native thread is found" do
    part = <<~RUBY
      require #{File.expand_path('../../support/native_thread', __dir__).inspect}
      def self.use = @native ||= NativeThread.start("rdk:main")
    RUBY
    status, found, = findings_of(part)

    assert_equal [1, "rdk:main"], [status, found.fetch(:native_thread)[:owner]]
  end

  # Class F
  test "requests that fail after a fork, because a flag was copied, are found with their error" do
    part = <<~'RUBY'
      def self.use
        connect unless @connected
        raise IOError, "not connected" unless @thread.alive?
      end
      def self.connect
        @thread = Thread.new { sleep }
        @connected = true
      end
    RUBY
    status, report = examine(app(part), "/a?b=c")
    answer = report[:answers].first

    assert_equal [1, "danger", [500]], [status, report[:verdict], answer[:changed]]
    assert_equal ["not connected (IOError)", "config.ru:#{line_of(part, 'raise')}"], answer.values_at(:error, :place)
  end

  # Class G
  test "a file for each process is found" do
    part = "def self.use = (@files ||= {})[Process.pid] ||= File.open(\"metric_\#{Process.pid}.bin\", \"w\")"
    _, found, report = findings_of(part)

    assert_equal "care", report[:verdict]
    assert_equal "metric_PID.bin", found.fetch(:file_per_process)[:owner]
  end

  KEPT = "require 'tempfile'\ndef self.use = File.read((@file ||= Tempfile.new('kept')).path)"

  test "a temporary file that is kept needs care, and the advice does not break it" do
    status, found, report = findings_of(KEPT)

    assert_equal [0, "care", [200]], [status, report[:verdict], report[:answers].first[:last]]
    assert_equal [:kept_file], found.keys
    assert_match(/Do not delete it in before_worker_exit/, found[:kept_file][:remedy])
  end

  test "a temporary file that is removed when the worker exits which has made it is not safe" do
    status, _, report = findings_of(KEPT, config: "quick_exit false")
    answer = report[:answers].first

    assert_equal [1, "danger", [500]], [status, report[:verdict], answer[:last]]
    assert_match(/no such file/i, answer[:error])
  end

  test "a handler of at_exit that takes away what other processes use is not safe" do
    status, _, report = findings_of("File.write('used', '')\nat_exit { File.delete('used') if File.exist?('used') }\n" \
                                    "def self.use = File.read('used')")

    assert_equal [1, "danger", [500]], [status, report[:verdict], report[:answers].first[:last]]
  end

  test "a file without a name that is kept is no finding" do
    _, found, report = findings_of("require 'tempfile'\n" \
                                   "def self.use = @file ||= Tempfile.create.tap { |file| File.unlink(file.path) }")

    assert_equal [{}, "ready"], [found, report[:verdict]]
  end

  test "a Random and a lock that another thread holds are found" do
    part = <<~'RUBY'
      RANDOM = Random.new
      LOCK = Mutex.new
      held = Queue.new
      HOLDER = Thread.new { LOCK.synchronize { held << true; sleep } }
      HOLDER.thread_variable_set(:fork_safe, true)
      held.pop
      def self.use = RANDOM.rand
    RUBY
    status, found, = findings_of(part)

    assert_equal 0, status
    assert_equal "config.ru:#{line_of(part, 'Random.new')}", found.fetch(:copied_random)[:place]
    assert_equal "config.ru:#{line_of(part, 'Mutex.new')}", found.fetch(:locked)[:place]
  end
end
