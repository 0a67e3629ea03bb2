# frozen_string_literal: true

require "socket"
require "test_helper"
require "coppice"
require "coppice/fork_safety/shared_descriptors"

module Coppice
  module ForkSafety
    class SharedDescriptorsTest < TestCase
      SEED = Integer(ENV.fetch("AUDIT_SEED", 20_261_122))

      # Stands for a client library, as one of those that notice a fork.
      class Holder
        def initialize(held) = @held = held
      end

      def setup
        @opened = []
        @server = keep(TCPServer.new("127.0.0.1", 0))
      end

      def teardown
        @opened.each(&:close)
      end

      def keep(io) = io.tap { @opened << io }

      def connect
        socket = keep(TCPSocket.new("127.0.0.1", @server.local_address.ip_port))
        keep(BoundedWait.readable(@server).accept)
        socket
      end

      # What is found of that which the block opens; nothing else is open in this process that counts.
      def findings
        before = OpenDescriptors.links.values
        yield
        SharedDescriptors.new(OpenDescriptors.links.reject { |_, link| before.include?(link) }).findings
      end

      test "a connection is found with the address of its peer" do
        finding, *others = findings { connect }

        assert_empty others
        assert_equal [:shared_connection, "tcp 127.0.0.1:#{@server.local_address.ip_port}"], finding.to_a.take(2)
      end

      test "the class of its object is named" do
        socket = nil
        finding = findings { socket = connect }.first

        assert_equal "descriptor #{socket.fileno}, TCPSocket", finding.detail
      end

      test "a connection to a Unix socket is found with its path" do
        Dir.mktmpdir do |folder|
          server = keep(UNIXServer.new("#{folder}/db"))
          found = findings { [keep(UNIXSocket.new("#{folder}/db")), keep(server.accept)] }

          assert_equal(["unix #{folder}/db"], found.map(&:owner))
        end
      end

      test "two descriptors of one connection are one finding" do
        assert_equal 1, findings { keep(connect.dup) }.size
      end

      test "listeners, datagrams, socketpairs, pipes to itself and files do not count" do
        found = findings do
          keep(TCPServer.new("127.0.0.1", 0))
          keep(UDPSocket.new).connect("127.0.0.1", 9)
          (UNIXSocket.pair + IO.pipe).each { |io| keep(io) }
          keep(File.open(File::NULL, "a"))
        end

        assert_empty found
      end

      test "a socket that was never connected, or whose peer has reset it, does not count" do
        found = findings do
          keep(Socket.new(:INET, :STREAM))
          client = keep(TCPSocket.new("127.0.0.1", @server.local_address.ip_port))
          accepted = BoundedWait.readable(@server).accept
          accepted.setsockopt(Socket::Option.linger(true, 0))
          accepted.close
          BoundedWait.readable(client)
        end

        assert_empty found
      end

      test "a pipe that another program writes to is found, one that another program reads is not" do
        reader = writer = nil
        endless, = IO.pipe.each { |io| keep(io) }
        found = findings do
          reader = IO.popen("exec cat", "r", in: endless)
          writer = IO.popen("exec cat > /dev/null", "w")
        end

        assert_equal(["pipe #{reader.fileno}"], found.map(&:owner))
      ensure
        [reader, writer].compact.each do |io|
          Process.kill(:TERM, io.pid)
          io.close
        end
      end

      test "what was passed to keep_io does not count, nor does its duplicate" do
        found = findings do
          KeptIOs.keep(socket = connect)
          keep(socket.dup)
        end

        assert_empty found
      end

      test "what a client holds that notices forks by itself is not found, and what another one holds is" do
        holders = []
        other = nil
        preset = Preset.new(reconnecting: [Holder.name, "Nothing::Loaded"])
        found = Presets.stub(:activated, [preset]) do
          findings do
            holders << Holder.new(Holder.new(connect)) << Holder.new(nil) << Holder.new(connect.tap(&:close))
            other = connect
          end
        end

        assert_equal([other.fileno], found.map { |finding| finding.detail[/\d+/].to_i })
        assert_equal 3, holders.size
      end

      test "in random histories exactly the connections that are still the inherited ones are found" do
        random = Random.new(SEED)
        100.times do
          sockets = Array.new(random.rand(1..6)) { connect }
          inherited = OpenDescriptors.links.slice(*sockets.map(&:fileno))
          closed, open = sockets.partition { random.rand < 0.5 }
          closed.each(&:close)
          random.rand(3).times { connect } # these take the numbers of the closed ones
          found = SharedDescriptors.new(inherited).findings.map { |finding| finding.detail[/\d+/].to_i }

          assert_equal open.map(&:fileno).sort, found.sort, "AUDIT_SEED=#{SEED}"
          @opened.drop(1).each(&:close)
        end
      end
    end
  end
end
