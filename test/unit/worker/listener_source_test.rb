# frozen_string_literal: true

require "socket"
require "test_helper"
require "coppice"
require "coppice/worker/listener_source"

module Coppice
  class Worker
    class ListenerSourceTest < TestCase
      # How many of three clients can connect when a worker without a monitor has refused new ones.
      def connected(**options)
        with_tmpdir do |folder|
          server = UNIXServer.new("#{folder}/socket")
          ListenerSource.new(server, nil, **options).refuse_new_connections
          clients = Array.new(3) { Socket.new(:UNIX, :STREAM) }
          clients.count { |client| connects?(client, Socket.sockaddr_un("#{folder}/socket")) }
        ensure
          [server, *clients].compact.each(&:close)
        end
      end

      def connects?(client, address)
        client.connect_nonblock(address)
        true
      rescue Errno::EAGAIN
        false
      end

      test "new clients are refused, but for the one that the kernel admits in any case" do
        assert_equal 1, connected
      end

      test "those of a socket on which another process goes on listening are not" do
        assert_equal 3, connected(borrowed: true)
      end
    end
  end
end
