# frozen_string_literal: true

# lane: soak -- many servers; test/unit/listeners/activation_test.rb shows the same on sockets

require "test_helper"
require_relative "../support/closed_loop"
require_relative "../support/raw_client"
require_relative "../support/server"

# Sockets that systemd has opened and passes on: they were there before the server, and stay when it leaves.
class SocketActivationTest < Coppice::TestCase
  REQUEST = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
  APP = "run ->(_env) { [200, {}, [Process.ppid.to_s]] }"

  # Asks at a listening socket.
  Client = Struct.new(:place) do
    include OneShotClient

    def connect = place.connect
  end

  # Yields listening sockets, one of each kind, as systemd's.
  def with_sockets
    with_tmpdir do |folder|
      sockets = [TCPServer.new("127.0.0.1", 0), UNIXServer.new(File.join(folder, "passed.sock"))]
      yield sockets
    ensure
      sockets&.each(&:close)
    end
  end

  def with_server(sockets, lobby, &block)
    config = sockets.map { |socket| "listen #{address(socket).inspect}, lobby: #{lobby}\n" }.join
    Server.open(app: APP, config: config, sockets: sockets, &block)
  end

  def address(socket)
    place = socket.local_address
    place.unix? ? place.unix_path : place.inspect_sockaddr
  end

  # Which monitor's worker answers.
  def answer_on(socket) = Client.new(socket.local_address).get.body.to_i

  # Clients that ask on these sockets in turn, until the block is left.
  def with_clients(sockets)
    by_name = sockets.to_h { |socket| [address(socket), socket] }
    clients = ClosedLoop.new(nil, clients: 2, paths: by_name.keys) do |name|
      Client.new(by_name.fetch(name).local_address).get
    end
    clients.start
    yield clients
  ensure
    clients.stop
  end

  def wait_for_answers(server, clients, count)
    wanted = clients.answers + count
    server.wait { clients.answers >= wanted || clients.failures.any? }
  end

  test "a socket with the name of an option takes the place of its addresses" do
    with_sockets do |(tcp, unix)|
      names = %w[listen admin_listen]
      config = "admin_listen 0 # any port"
      Server.open(app: APP, config: config, sockets: [tcp, unix], socket_names: names) do |server|
        assert_equal server.pid, answer_on(tcp)
        refute_path_exists server.socket_path
        RawClient.on(unix.local_address.connect) do |client|
          client.write("GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")

          assert_equal 200, client.answer.status
        end
      end
    end
  end

  test "a socket with another name is used for its address only" do
    with_sockets do |(tcp, unix)|
      Server.open(app: APP, sockets: [tcp, unix], socket_names: %w[web shop.socket]) do |server|
        assert_equal server.pid, server.get.body.to_i
        [tcp, unix].each { |socket| refute_includes server.board.listeners, address(socket) }
        assert server.wait { names_of_unused(server) == %w[web shop.socket] }
      end
    end
  end

  test "one process names the sockets that it does not use, too" do
    with_sockets do |sockets|
      names = %w[web shop.socket]
      Server.open(app: APP, config: "worker_processes 0", sockets: sockets, socket_names: names) do |server|
        assert server.wait { names_of_unused(server) == names }
      end
    end
  end

  def names_of_unused(server) = server.log.scan(/socket from systemd is not used".* name=(\S+)/).flatten

  { "workers" => false, "the lobby" => true }.each do |name, lobby|
    test "TCP and Unix sockets are served by #{name}" do
      with_sockets do |sockets|
        with_server(sockets, lobby) do |server|
          assert_equal [server.pid] * 2, sockets.map { |socket| answer_on(socket) }
        end
      end
    end

    test "clients that come between two servers are served by #{name} of the second" do
      with_sockets do |sockets|
        with_server(sockets, lobby, &:stop)
        early = sockets.map { |socket| socket.local_address.connect.tap { |client| client.write(REQUEST) } }
        with_server(sockets, lobby) do |server|
          assert_equal [server.pid] * 2, early.map { |client| RawClient.new(client).answer.body.to_i }
        end
      ensure
        early&.each(&:close)
      end
    end

    # As in docs/deploys.md, "Another version of Coppice".
    test "a second server takes the sockets over from #{name} of the first, and no client notices" do
      with_sockets do |sockets|
        with_server(sockets, lobby) do |first|
          with_clients(sockets) do |clients|
            wait_for_answers(first, clients, 20)
            with_server(sockets, lobby) do |second|
              assert_predicate first.stop, :success?
              wait_for_answers(second, clients, 20)

              assert_equal [second.pid] * 2, sockets.map { |socket| answer_on(socket) }
              clients.stop
            end

            assert_empty clients.failures
          end
        end
      end
    end
  end
end
