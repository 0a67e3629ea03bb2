# frozen_string_literal: true

require "test_helper"
require "coppice/os/service_manager"
require_relative "../support/server"

# A server that a service manager with systemd's protocol has started. The test takes its place.
class ServiceManagerTest < Coppice::TestCase
  VARIABLES = Coppice::OS::ServiceManager::VARIABLES
  APP = <<~RUBY.freeze
    LOADED_WITH = ENV.to_h
    run(lambda do |_env|
      seen = #{VARIABLES.inspect}.select { |name| LOADED_WITH.key?(name) || ENV.key?(name) }
      [200, { "content-type" => "text/plain" }, [seen.join(" ")]]
    end)
  RUBY

  # Yields a socket that receives notifications, and the variables that name it.
  def notified(path = nil)
    with_tmpdir do |folder|
      receiver = Socket.new(:UNIX, :DGRAM)
      receiver.bind(Socket.sockaddr_un(path || "#{folder}/notify"))
      yield receiver, { "NOTIFY_SOCKET" => path ? path.sub("\0", "@") : "#{folder}/notify" }
    ensure
      receiver&.close
    end
  end

  # All assignments until one matches.
  def receive_until(receiver, pattern)
    received = []
    until received.any?(pattern)
      BoundedWait.readable(receiver, BoundedWait::SECONDS, "no #{pattern.inspect} in #{received.inspect}")
      received.concat(receiver.recv(4096).lines(chomp: true))
    end
    received
  end

  def seconds_of(assignments) = assignments.join("\n")[/^EXTEND_TIMEOUT_USEC=(\d+)$/, 1].to_i / 1_000_000

  { "a path" => nil, "an abstract name" => "\0coppice-test-notify-#{Process.pid}" }.each do |kind, path|
    test "the start and the stop are told at #{kind}" do
      notified(path) do |receiver, env|
        Server.open(app: APP, config: "worker_processes 2\ntimeout 70, cleanup: 1", env: env, ready: false) do |server|
          boot = receive_until(receiver, "READY=1")

          assert_equal 200, server.get.status
          assert_operator seconds_of(boot), :>=, 10
          serving = "STATUS=serving: release 1, generation 0, 2 of 2 workers ready"
          receive_until(receiver, serving) unless boot.include?(serving)
          server.signal(:TERM)

          seconds = seconds_of(receive_until(receiver, "STOPPING=1"))

          assert_includes 120..2 * 70 + 1 + 10, seconds # those since the stop began are over
          assert_equal 0, server.wait_for_end.exitstatus
        end
      end
    end
  end

  test "a server that serves feeds the watchdog" do
    notified do |receiver, env|
      Server.open(app: APP, env: env.merge("WATCHDOG_USEC" => "400000")) do
        received = Array.new(3) { receive_until(receiver, "WATCHDOG=1") }.flatten

        assert_equal 3, received.count("WATCHDOG=1")
      end
    end
  end

  [1, 0].each do |count|
    test "no variable of the service manager reaches the application, with worker_processes #{count}" do
      notified do |receiver, env|
        others = VARIABLES.drop(1).to_h { |name| [name, "1"] }
        Server.open(app: APP, config: "worker_processes #{count}", env: env.merge(others), ready: false) do |server|
          receive_until(receiver, "READY=1")

          assert_equal "", server.get.body
          server.signal(:TERM)
          receive_until(receiver, "STOPPING=1")
        end
      end
    end
  end
end
