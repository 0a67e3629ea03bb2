# frozen_string_literal: true

require "test_helper"
require_relative "../support/raw_client"
require_relative "../support/server"

# Sockets that systemd has opened and passes on: they were there before the server, and stay when it leaves.
class SocketActivationTest < Coppice::TestCase
  REQUEST = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
  APP = "run ->(_env) { [200, {}, [Process.ppid.to_s]] }"

  # Yields listening sockets, one of each kind, as systemd's.
  def with_sockets
    with_tmpdir do |folder|
      sockets = [TCPServer.new("127.0.0.1", 0), UNIXServer.new(File.join(folder, "passed.sock"))]
      yield sockets
    ensure
      sockets&.each(&:close)
    end
  end

  def with_server(sockets, &block)
    config = sockets.map { |socket| "listen #{address(socket).inspect}\n" }.join
    Server.open(app: APP, config: config, sockets: sockets, &block)
  end

  def address(socket)
    place = socket.local_address
    place.unix? ? place.unix_path : place.inspect_sockaddr
  end

  # Which monitor's worker answers.
  def answer_on(socket)
    RawClient.on(socket.local_address.connect) do |client|
      client.write(REQUEST)
      client.answer.body.to_i
    end
  end

  test "TCP and Unix sockets are served" do
    with_sockets do |sockets|
      with_server(sockets) do |server|
        assert_equal [server.pid] * 2, sockets.map { |socket| answer_on(socket) }
      end
    end
  end

  test "whoever comes between two servers is served by the second" do
    with_sockets do |sockets|
      with_server(sockets, &:stop)
      sockets.each do |socket|
        RawClient.on(socket.local_address.connect) do |early|
          early.write(REQUEST)
          with_server(sockets) { |server| assert_equal server.pid, early.answer.body.to_i }
        end
      end
    end
  end
end
