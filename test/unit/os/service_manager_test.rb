# frozen_string_literal: true

require "test_helper"
require "open3"
require "coppice/os/service_manager"

module Coppice
  module OS
    class ServiceManagerTest < TestCase
      # Yields a socket that receives notifications, and the value of NOTIFY_SOCKET for it.
      def listen_at(path)
        receiver = Socket.new(:UNIX, :DGRAM)
        receiver.bind(Socket.sockaddr_un(path))
        yield receiver, path.sub(/\A\0/, "@")
      ensure
        receiver&.close
      end

      def listen(&block) = with_tmpdir { |folder| listen_at("#{folder}/notify", &block) }

      def teardown
        @managers&.each(&:close)
        super
      end

      def manager(name, **variables)
        manager = ServiceManager.new({ "NOTIFY_SOCKET" => name }.merge(variables.transform_keys(&:to_s)))
        manager.tap { (@managers ||= []) << manager }
      end

      def received(socket) = socket.recv_nonblock(4096, exception: false)

      test "assignments are one datagram" do
        listen do |receiver, name|
          assert manager(name).notify(%w[READY=1 STATUS=fine])
          assert_equal "READY=1\nSTATUS=fine", received(receiver)
        end
      end

      test "an abstract socket is reached" do
        listen_at("\0coppice-test-#{Process.pid}-#{object_id}") do |receiver, name|
          assert manager(name).notify(["READY=1"])
          assert_equal "READY=1", received(receiver)
        end
      end

      test "a datagram is what systemd-notify sends" do
        listen do |receiver, name|
          command = %w[systemd-notify --no-block --ready --status=fine]
          _, status = Open3.capture2e({ "NOTIFY_SOCKET" => name }, *command)
          skip "systemd-notify failed" unless status.success?
          expected = received(receiver)
          manager(name).notify(%w[READY=1 STATUS=fine])

          assert_equal expected.lines(chomp: true).sort, received(receiver).lines(chomp: true).sort
        rescue Errno::ENOENT
          skip "there is no systemd-notify"
        end
      end

      test "a full queue does not block, and is worth another try" do
        listen do |receiver, name|
          manager = manager(name)
          nil while manager.notify(["STATUS=#{'x' * 1000}"])
          nil while received(receiver).is_a?(String)

          assert manager.notify(["READY=1"])
          assert_equal "READY=1", received(receiver)
        end
      end

      test "a service manager that is gone is not waited for" do
        with_tmpdir { |folder| assert manager("#{folder}/nobody").notify(["READY=1"]) }
      end

      test "without an address of a known kind nobody listens" do
        [nil, "", "@", "relative", "vsock:2:1234", "/#{'x' * 200}"].each do |name|
          manager = manager(name, WATCHDOG_USEC: "1000000")

          refute_predicate manager, :listening?, name
          assert manager.notify(["READY=1"])
          assert_nil manager.watchdog_seconds
        end
      end

      test "the watchdog's time is for the process that it names, or without a name for this one" do
        assert_equal 2.5, manager("/run/x", WATCHDOG_USEC: "2500000").watchdog_seconds
        assert_equal 2.5, manager("/run/x", WATCHDOG_USEC: "2500000", WATCHDOG_PID: Process.pid.to_s).watchdog_seconds
        assert_nil manager("/run/x", WATCHDOG_USEC: "2500000", WATCHDOG_PID: "1").watchdog_seconds
        assert_nil manager("/run/x", WATCHDOG_USEC: "0").watchdog_seconds
        assert_nil manager("/run/x", WATCHDOG_USEC: "soon").watchdog_seconds
        assert_nil manager("/run/x").watchdog_seconds
      end

      test "the variables are taken out of the environment" do
        environment = { "NOTIFY_SOCKET" => "/run/x", "LISTEN_FDS" => "2", "HOME" => "/root" }

        assert_equal({ "NOTIFY_SOCKET" => "/run/x", "LISTEN_FDS" => "2" }, ServiceManager.take_variables(environment))
        assert_equal({ "HOME" => "/root" }, environment)
      end
    end
  end
end
