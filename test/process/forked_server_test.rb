# frozen_string_literal: true

require "test_helper"
require "socket"
require "coppice/single"
require_relative "../support/one_shot_client"

# A server that is started in a process which the caller has forked, as parallel tests do: it is no stray copy.
class ForkedServerTest < Coppice::TestCase
  include OneShotClient

  APP = ->(_env) { [200, { "content-type" => "text/plain" }, [Process.pid.to_s]] }

  def setup
    @log = Coppice::Log.new(StringIO.new, role: :single)
  end

  def teardown
    Process.kill(:KILL, @pid)
    BoundedWait.status_of(@pid)
  end

  test "one with threads answers request after request" do
    listener = TCPServer.new("127.0.0.1", 0)
    @connecting = listener.local_address
    serve { Coppice::ThreadedServer.new(APP, listeners: [listener], log: @log, settings: settings).start.join }
    listener.close

    assert_equal [@pid.to_s] * 2, (Array.new(2) { get.body })
  end

  test "one process calls its hooks, and answers request after request" do
    with_tmpdir do |folder|
      address = Coppice::Listeners::Address.parse(File.join(folder, "socket"))
      @connecting = Addrinfo.unix(address.path)
      reader, writer = IO.pipe
      serve do
        Coppice.at_fork(after_in_worker: -> { writer.write("it listens") })
        Coppice::Single.new(settings(listen: [address]), log: @log, app: APP).run
      end
      writer.close

      assert_equal "it listens", BoundedWait.readable(reader).readpartial(100)
      assert_equal [@pid.to_s] * 2, (Array.new(2) { get.body })
    ensure
      reader.close
    end
  end

  private

  # In a process that does not leave the block.
  def serve
    @pid = fork do
      yield
    ensure
      exit!
    end
  end

  def settings(**values) = Coppice::Config::Settings.new(values: values)

  def connect = @connecting.connect
end
