# frozen_string_literal: true

require "test_helper"
require "socket"
require "coppice/listeners/syn_filter"

module Coppice
  module Listeners
    class SynFilterTest < TestCase
      %w[127.0.0.1 ::1].each do |host|
        test "who is in the queue of #{host} is served, and nobody else gets in" do
          assert_only_queue_served(host)
        end

        test "the same for #{host} where the kernel refuses a filter" do
          assert_only_queue_served(host) do |listener|
            listener.define_singleton_method(:setsockopt) do |level, *rest|
              level == :SOCKET ? raise(Errno::EPERM) : super(level, *rest)
            end
          end
        end
      end

      test "a Unix socket admits at most one more client" do
        with_tmpdir do |folder|
          listener = Socket.unix_server_socket("#{folder}/x.sock")
          SynFilter.refuse_new_connections(listener)
          clients = Array.new(3) { Socket.new(:UNIX, :STREAM) }

          assert_operator clients.count { |client| let_in?(client, "#{folder}/x.sock") }, :<=, 1
        ensure
          [listener, *clients].compact.each(&:close)
        end
      end

      private

      def assert_only_queue_served(host)
        skip "no IPv6 here" if host == "::1" && Socket.ip_address_list.none?(&:ipv6_loopback?)
        with_listener(host) do |listener, address|
          yield listener if block_given?
          first = connect(address)
          BoundedWait.readable(listener) # the kernel may tell the client first
          SynFilter.refuse_new_connections(listener)
          accepted, = listener.accept
          late = Socket.new(listener.local_address.afamily, :STREAM)
          late.connect_nonblock(address, exception: false)

          assert_nil late.wait_writable(0.3), "it was let in"
          accepted.write("hello")
          assert_equal "hello", first.readpartial(5)
        ensure
          [first, accepted, late].compact.each(&:close)
        end
      end

      def with_listener(host)
        listener = Socket.new(host.include?(":") ? :INET6 : :INET, :STREAM)
        listener.bind(Addrinfo.tcp(host, 0))
        listener.listen(16)
        yield listener, listener.local_address
      ensure
        listener&.close
      end

      def let_in?(client, path)
        client.connect_nonblock(Addrinfo.unix(path)).zero?
      rescue Errno::EAGAIN
        false
      end

      def connect(address) = Socket.new(address.afamily, :STREAM).tap { |socket| socket.connect(address) }
    end
  end
end
