# frozen_string_literal: true

require "test_helper"
require "coppice/listeners/set"
require_relative "../../support/loopback_ports"

module Coppice
  module Listeners
    class SetTest < TestCase
      test "port 0 becomes a real port" do
        with_set("127.0.0.1:0") do |set|
          port = set.names.first[/\A127\.0\.0\.1:(\d+)\z/, 1].to_i
          assert_operator port, :>, 0
          assert_equal port, set.first.address.port
        end
      end

      test "clients are refused until the set listens" do
        with_set("127.0.0.1:0") do |set|
          assert_raises(Errno::ECONNREFUSED) { connect(set) }
          set.listen!
          connect(set).close
          assert accepted?(set)
        end
      end

      test "a Unix socket refuses clients until it listens, too" do
        with_tmpdir do |folder|
          with_set("#{folder}/x.sock") do |set|
            assert_raises(Errno::ECONNREFUSED) { UNIXSocket.new("#{folder}/x.sock") }
            set.listen!
            UNIXSocket.new("#{folder}/x.sock").close
            assert accepted?(set)
          end
        end
      end

      test "IPv4 clients reach the IPv6 address for all, unless it is for IPv6 only" do
        skip "no IPv6 here" unless ipv6?
        with_set("[::]:0") do |set|
          set.listen!
          Socket.tcp("127.0.0.1", set.first.address.port).close
          assert accepted?(set)
        end
        # Of a port that the kernel gives, another program may have the IPv4 side.
        with_set("[::]:#{LoopbackPorts.free(1).first}", ipv6only: true) do |set|
          set.listen!
          assert_raises(Errno::ECONNREFUSED) { Socket.tcp("127.0.0.1", set.first.address.port) }
        end
      end

      test "descriptors are closed on exec and never block" do
        with_set("127.0.0.1:0") do |set|
          socket = set.first.sockets.first
          assert_predicate socket, :close_on_exec?
          assert_predicate socket, :nonblock?
        end
      end

      test "options of the address are set" do
        with_set("127.0.0.1:0", rcvbuf: 64 * 1024, sndbuf: 32 * 1024, tcp_nodelay: true, tcp_nopush: true,
          tcp_defer_accept: 0, lobby: false) do |set|
          socket = set.first.sockets.first
          assert_equal [64 * 1024, 32 * 1024], %i[RCVBUF SNDBUF].map { |name| socket.getsockopt(:SOCKET, name).int / 2 }
          assert socket.getsockopt(:TCP, :NODELAY).bool
          assert socket.getsockopt(:TCP, :CORK).bool
          assert_equal 0, socket.getsockopt(:TCP, :DEFER_ACCEPT).int
        end
      end

      test "connections that the lobby keeps open are not corked, and those without a request not held back" do
        with_set("127.0.0.1:0", tcp_nopush: true) do |set|
          refute set.first.sockets.first.getsockopt(:TCP, :CORK).bool
          assert_equal 0, set.first.sockets.first.getsockopt(:TCP, :DEFER_ACCEPT).int
        end
      end

      test "the umask of a Unix socket" do
        with_tmpdir do |folder|
          before = File.umask
          with_set("#{folder}/all.sock") { assert_equal 0o777, File.stat("#{folder}/all.sock").mode & 0o777 }
          with_set("#{folder}/few.sock", umask: 0o077) do
            assert_equal 0o700, File.stat("#{folder}/few.sock").mode & 0o777
          end
          assert_equal before, File.umask
        end
      end

      test "queues share one port and the backlog" do
        with_set("127.0.0.1:0", queues: 3, backlog: 30) do |set|
          set.listen!
          assert_equal 3, set.descriptors.size
          assert_equal [set.first.address.port], set.first.sockets.map { |socket| socket.local_address.ip_port }.uniq
          assert_equal 1, set.names.size
        end
      end

      test "each worker has a slice of the queues that moves on" do
        with_set("127.0.0.1:0", queues: 4, queues_per_worker: 2) do |set|
          a, b, c, d = set.descriptors
          assert_equal [[a, b], [b, c], [c, d], [d, a], [a, b]], (0..4).map { |nr| set.queues_for(nr, workers: 5) }
        end
      end

      test "a worker has all queues but one when nothing else is said" do
        with_set("127.0.0.1:0", queues: 4) do |set|
          a, b, c, d = set.descriptors
          assert_equal [[a, b, c], [d, a, b]], [0, 3].map { |nr| set.queues_for(nr, workers: 4) }
        end
      end

      test "few workers have wider slices, so that each queue has a worker" do
        with_set("127.0.0.1:0", queues: 4, queues_per_worker: 1) do |set|
          (1..6).each do |workers|
            served = (0...workers).flat_map { |nr| set.queues_for(nr, workers: workers) }
            assert_equal set.descriptors.sort, served.uniq.sort, "#{workers} workers"
          end
          assert_equal 1, set.queues_for(5, workers: 6).size
        end
      end

      test "all workers accept from a single queue" do
        with_set("127.0.0.1:0") do |set|
          assert_equal [set.descriptors] * 3, (0..2).map { |nr| set.queues_for(nr, workers: 9) }
        end
      end

      test "closing removes the file of a Unix socket and can be repeated" do
        with_tmpdir do |folder|
          set = bind("#{folder}/x.sock", "127.0.0.1:0")
          2.times { set.close }
          refute_path_exists "#{folder}/x.sock"
          set.each { |listener| assert listener.sockets.all?(&:closed?) }
        end
      end

      test "closing leaves another server's file alone" do
        with_tmpdir do |folder|
          with_set("#{folder}/x.sock") do
            File.unlink("#{folder}/x.sock")
            File.write("#{folder}/x.sock", "another's")
          end
          assert_path_exists "#{folder}/x.sock"
        end
      end

      test "a forked child closes without removing the file" do
        with_tmpdir do |folder|
          with_set("#{folder}/x.sock") do |set|
            BoundedWait.status_of(fork { set.close; exit!(0) })
            assert_path_exists "#{folder}/x.sock"
          end
        end
      end

      test "when one address fails, those before it are closed" do
        with_tmpdir do |folder|
          assert_raises(BindError) { bind("#{folder}/x.sock", "#{folder}/no/y.sock") }
          refute_path_exists "#{folder}/x.sock"
        end
      end

      private

      def bind(*texts, **options)
        Set.bind(texts.map { |text| Address.parse(text, { tries: 1 }.merge(options)) }, environment: {})
      end

      def with_set(*texts, **options)
        set = bind(*texts, **options)
        yield set
      ensure
        set&.close
      end

      def connect(set)
        Socket.tcp("127.0.0.1", set.first.address.port)
      end

      def connect_to(name)
        Socket.tcp("127.0.0.1", Address.parse(name).port)
      end

      # The socket at which a client waits.
      def ready_at(set)
        BoundedWait.wait(BoundedWait::SECONDS, "no client came", interval: 0) do
          IO.select(set.first.sockets, nil, nil, BoundedWait::LONGEST_TURN)
        end.first.first
      end

      def accepted?(set)
        ready_at(set).accept.first.close
        true
      end

      def ipv6?
        Socket.ip_address_list.any?(&:ipv6_loopback?)
      end
    end
  end
end
