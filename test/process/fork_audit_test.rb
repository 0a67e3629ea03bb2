# frozen_string_literal: true

require "socket"
require "test_helper"
require "coppice"
require "coppice/fork_safety/audit"
require_relative "../support/native_thread"

# The fork audit in three generations of real processes: a worker that forks a mold that forks a worker.
class ForkAuditProcessTest < Coppice::TestCase
  Audit = Coppice::ForkSafety::Audit

  def setup
    @server = TCPServer.new("127.0.0.1", 0)
    @threads = []
  end

  def teardown
    @server.close
  end

  # What the audit finds: kinds and owners. Each block runs in its process.
  def findings(promoted: -> {}, mold: -> {}, worker: -> {})
    in_copy do
      promoted.call
      in_copy_with(Audit.new) do |audit|
        mold.call
        in_copy_with(Audit.new(previous: audit).tap(&:note_inherited)) do |last|
          worker.call
          last.findings.map { |finding| finding.to_a.take(2) }
        end
      end
    end
  end

  def in_copy_with(audit) = in_copy { yield audit }

  # What the block answers in a copy of this process.
  def in_copy
    answer = IO.popen("-", "r+b") do |copy|
      if copy
        copy.close_write
        next copy.read
      end

      print Marshal.dump(yield)
      $stdout.flush
      exit!
    end
    Marshal.load(answer) # rubocop:disable Security/MarshalLoad
  end

  def start(name = nil)
    thread = Thread.new { Thread.stop }
    thread.name = name if name
    eventually { thread.stop? }
    @threads << thread
  end

  def start_elsewhere = @threads << Thread.new { Thread.stop }

  def connect = @connection = TCPSocket.new("127.0.0.1", @server.local_address.ip_port)

  def reconnect
    @connection.close
    connect
  end

  def shared = [[:shared_connection, "tcp 127.0.0.1:#{@server.local_address.ip_port}"]]

  test "threads of the promoted worker and of the mold are missing in the worker" do
    found = findings(promoted: -> { start("poller") }, mold: -> { start_elsewhere })

    assert_equal %i[missing_thread missing_thread], found.map(&:first)
    assert_match(/\Apoller test.*_test\.rb:\d+\z/, found.first.last)
  end

  test "a thread that starts again in the worker, or in each process, is not found" do
    assert_empty findings(promoted: -> { start }, worker: -> { start })
    assert_empty findings(promoted: -> { start }, mold: -> { start }, worker: -> { start })
  end

  test "a thread that ended before the fork is not found" do
    assert_empty findings(promoted: -> { start.each { |thread| thread.kill.join } })
  end

  test "a native thread of the promoted worker is found" do
    assert_equal [[:native_thread, "rdk:main"]], findings(promoted: -> { NativeThread.start("rdk:main") })
  end

  test "as many native threads without a name as a library starts again are not found" do
    start = -> { NativeThread.start(File.read("/proc/self/comm").chomp) }
    preset = ->(count) { Coppice::ForkSafety::Preset.new(constant: "String", restarts: [], restarted_natives: -> { count }) }
    found = [0, 1].map { |count| Coppice::Presets.stub(:activated, [preset.call(count)]) { findings(promoted: start) } }

    assert_equal [[:native_thread], []], found.map { |findings| findings.map(&:first) }
  end

  test "a connection that all inherit is found" do
    assert_equal shared, findings(promoted: -> { connect })
  end

  test "a connection that the mold closes, or the worker, is not found" do
    assert_empty findings(promoted: -> { connect }, mold: -> { @connection.close })
    assert_empty findings(promoted: -> { connect }, worker: -> { @connection.close })
  end

  test "a connection that each worker opens is not found, one that the mold opens for all is" do
    assert_empty findings(promoted: -> { connect }, mold: -> { @connection.close }, worker: -> { connect })
    assert_empty findings(promoted: -> { connect }, worker: -> { reconnect })
    assert_equal shared, findings(promoted: -> { connect }, mold: -> { reconnect })
  end
end
