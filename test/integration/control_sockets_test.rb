# frozen_string_literal: true

require "test_helper"
require "open3"
require "coppice/control/client"
require_relative "../support/process_descriptors"
require_relative "../support/server"

# Where commands find a running server: the socket that each has by its pid, and the path of `control_socket`.
class ControlSocketsTest < Coppice::TestCase
  APP = "run ->(_env) { [200, {}, []] }"

  def serve(config = "", &block) = Server.open(app: APP, config: "worker_processes 1\n#{config}", &block)

  # Output and exit status of a command.
  def coppice(*words)
    output, status = Open3.capture2e({ "RUBYOPT" => nil }, RbConfig.ruby, Server::EXECUTABLE, *words)
    [output, status.exitstatus]
  end

  test "a sidecar uses the path, which nobody else can and which is removed at the end" do
    serve("control_socket File.join(__dir__, 'control')") do |server|
      path = server.path("control")

      assert_equal 0o600, File.stat(path).mode & 0o777
      assert_match(/^workers +1 of 1 ready/, coppice("status", "--socket", path).first)
      assert_equal ["2 workers wanted, 1 until now\n", 0], coppice("workers", "2", "--socket", path)
      server.stop
      refute_path_exists path
    end
  end

  test "a stale file at the path is replaced, and one that is no socket is not" do
    Dir.mktmpdir do |folder|
      path = File.join(folder, "control")
      UNIXServer.new(path).close
      serve("control_socket #{path.inspect}") do
        assert_match(/1 of 1 ready/, coppice("status", "--socket", path).first)
      end
      File.write(path, "mine")
      server = Server.new(app: APP, config: "control_socket #{path.inspect}", ready: false)
      server.start

      assert_equal 1, server.wait_for_end.exitstatus
      assert_equal "mine", File.read(path)
      refute_path_exists server.socket_path
    ensure
      server&.clean_up
    end
  end

  test "a process that is no monitor, and one that is not there" do
    message = assert_raises(Coppice::Error) { Coppice::Control::Client.new(pid: Process.pid).call("status") }.message
    assert_equal "process #{Process.pid} is no Coppice monitor", message
    assert_equal ["coppice: there is no process 4194305\n", 1], coppice("refork", "--pid", "4194305")
  end

  test "children have none of the monitor's sockets" do
    serve do |server|
      control = File.readlines("/proc/net/unix").grep(/@coppice-\d+-#{server.pid}$/).map { |line| line.split[6] }

      assert_equal 1, control.size
      links = server.children(server.pid).flat_map { |child| ProcessDescriptors.links(child) }
      refute_includes links, "socket:[#{control.first}]"
    end
  end
end
