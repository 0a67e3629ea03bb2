# frozen_string_literal: true

require "test_helper"
require "socket"
require "coppice/listeners/address"
require "coppice/listeners/address_owners"
require "coppice/listeners/listening_sockets"

module Coppice
  module Listeners
    class ListeningSocketsTest < TestCase
      def found = ListeningSockets.of(Process.pid)

      test "TCP over IPv4, over IPv6, and Unix sockets" do
        with_tmpdir do |folder|
          hosts = ["127.0.0.1", *("::1" if Socket.ip_address_list.any?(&:ipv6_loopback?))] # not every container has it
          servers = hosts.map { |host| TCPServer.new(host, 0) } << UNIXServer.new("#{folder}/a socket")
          ports = servers.first(hosts.size).map { |server| server.addr[1] }
          expected = ["127.0.0.1:#{ports.first}", *("[::1]:#{ports[1]}" if ports[1]), "#{folder}/a socket"]

          assert_equal expected, found
        ensure
          servers&.each(&:close)
        end
      end

      test "sockets that do not listen are left out" do
        socket = Socket.new(:INET, :STREAM)
        socket.bind(Addrinfo.tcp("127.0.0.1", 0))
        pair = UNIXSocket.pair

        assert_empty found
      ensure
        [socket, *pair].each(&:close)
      end

      test "a name that is no path is that of a control socket" do
        socket = Socket.new(:UNIX, :STREAM)
        socket.bind(Addrinfo.unix("\0coppice-test-#{Process.pid}"))
        socket.listen(1)

        assert_empty found
      ensure
        socket.close
      end

      test "a name that is no text, which anybody may give a socket, does not matter" do
        others = Socket.new(:UNIX, :STREAM)
        others.bind(Addrinfo.unix("\0\xFF\xFE#{Process.pid}".b))
        with_tmpdir do |folder|
          server = UNIXServer.new("#{folder}/\u00E9")
          address = Address.parse("#{folder}/\u00E9")

          assert_equal ["#{folder}/\u00E9"], found
          assert_equal 1, AddressOwners.new(address).inodes.size
        ensure
          server&.close
        end
      ensure
        others.close
      end

      test "nor does the name of an open file" do
        with_tmpdir do |folder|
          server = UNIXServer.new("#{folder}/socket")

          File.open("#{folder}/caf\xE9", "w") { assert_equal ["#{folder}/socket"], found }
        ensure
          server&.close
        end
      end

      test "a missing process listens nowhere" do
        assert_empty ListeningSockets.of(4_194_305)
      end
    end
  end
end
