# frozen_string_literal: true

require "socket"
require "test_helper"
require "coppice"
require "coppice/listeners/set"

module Coppice
  # How many clients wait, as the kernel tells.
  class SocketQueuesTest < TestCase
    def listening(*addresses, **options)
      set = Listeners::Set.bind(addresses.map { |address| Listeners::Address.parse(address, options) })
      set.listen!
      yield set
    ensure
      set&.close
    end

    def clients(set, count)
      address = set.first.address
      sockets = Array.new(count) { connect(address) }
      sockets.each { |socket| socket.write("x") if address.tcp? } # the kernel may wait for a first byte
      eventually { set.waiting == count } # it may tell the client first that it is connected
      yield
    ensure
      sockets&.each(&:close)
    end

    def connect(address)
      address.unix? ? UNIXSocket.new(address.path) : TCPSocket.new(address.host, address.port)
    end

    def queues(set) = Listeners::SocketQueues.of(set.flat_map(&:inodes))

    # A listener with the set's sockets, as systemd passes them.
    def adopted(set, **options)
      Listeners::Listener.adopted(Listeners::Address.parse(set.first.name, options), set.descriptors)
    end

    test "clients that wait are counted, by TCP of both versions and by Unix sockets" do
      with_tmpdir do |folder|
        [*local_addresses, "#{folder}/socket"].each do |address|
          listening(address, backlog: 32) do |set|
            assert_equal [[0, 32]], queues(set).values.map(&:to_a), address
            clients(set, 3) { assert_equal [3, 3], [queues(set).values.sum(&:waiting), set.waiting], address }
          end
        end
      end
    end

    test "clients that have connected and sent nothing yet are connecting, as long as the listener wants it so" do
      local_addresses.each do |address|
        listening(address, lobby: false) do |set|
          socket = connect(set.first.address)
          eventually { set.connecting == 1 }
          socket.write("x")
          eventually { [set.connecting, set.waiting] == [0, 1] }
        ensure
          socket&.close
        end
      end
    end

    test "several queues of one address are counted together" do
      listening("127.0.0.1:0", queues: 4, backlog: 64) do |set|
        clients(set, 9) do
          assert_equal [4, 9], [queues(set).size, set.waiting]
          assert_equal [16], queues(set).values.map(&:backlog).uniq
        end
      end
    end

    test "a socket of another process keeps its backlog, unless the configuration names one" do
      local_addresses.each do |address|
        listening(address, backlog: 64) do |set|
          backlogs = [{}, { backlog: 32 }].map do |options|
            adopted(set, **options).listen!
            queues(set).values.map(&:backlog)
          end

          assert_equal [[64], [32]], backlogs, address
        end
      end
    end

    test "a socket of another process that does not listen yet gets the default" do
      set = Listeners::Set.bind([Listeners::Address.parse("127.0.0.1:0")], environment: {})
      adopted(set).listen!

      assert_equal [1024], queues(set).values.map(&:backlog)
    ensure
      set&.close
    end

    test "where the kernel does not answer, /proc tells of TCP" do
      listening(*local_addresses) do |set|
        clients(set, 2) do
          expected = [*([[0, nil]] if ipv6?), [2, nil]]
          refusing_kernel { assert_equal expected, queues(set).values.map(&:to_a).sort_by(&:first) }
        end
      end
    end

    test "what nobody tells is unknown" do
      with_tmpdir do |folder|
        listening("#{folder}/socket") { |set| refusing_kernel { assert_nil set.waiting } }
      end
    end

    # Not every container has IPv6.
    def ipv6? = Socket.ip_address_list.any?(&:ipv6_loopback?)

    def local_addresses = ["127.0.0.1:0", *("[::1]:0" if ipv6?)]

    def refusing_kernel
      original = OS.method(:listen_queues)
      silence { OS.define_singleton_method(:listen_queues) { |_family| nil } }
      yield
    ensure
      silence { OS.define_singleton_method(:listen_queues, original) }
    end

    # Ruby warns of a method that is defined anew.
    def silence
      verbose, $VERBOSE = $VERBOSE, nil
      yield
    ensure
      $VERBOSE = verbose
    end

    test "the board's line of a listener names its backlog and its sockets" do
      listening("127.0.0.1:0", queues: 2, backlog: 64) do |set|
        assert_equal "64 #{set.first.inodes.join(',')} #{set.first.name}\n", set.description
        assert_equal 2, set.first.inodes.uniq.size
      end
    end
  end
end
