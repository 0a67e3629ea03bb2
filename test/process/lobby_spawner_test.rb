# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/config/settings"
require "coppice/listeners/set"
require "coppice/monitor/lobby/lobby_handle"
require "coppice/monitor/lobby/lobby_spawner"
require "coppice/monitor/kernel/serving_port"
require "coppice/monitor/kernel/system"

module Coppice
  # What travels between the monitor and a program in the lobby's place.
  class LobbySpawnerTest < TestCase
    class EchoingSpawner < Monitor::LobbySpawner
      def self.executable = File.expand_path("../support/echoing_lobby", __dir__)
    end

    def setup
      @warnings = []
      @board = Board.create
    end

    def teardown
      @lobby&.close
      BoundedWait.status_of(@pid) if @pid
      @port&.close
      @board.close
    end

    def warn(message, **fields) = @warnings << [message, fields]

    alias error warn

    def spawner(**settings)
      listen = [Listeners::Address.parse("127.0.0.1:0", lobby: true, proxy_protocol: true, scheme: :https),
                Listeners::Address.parse("127.0.0.1:0", lobby: false)]
      settings = Config::Settings.new(values: { listen: listen, **settings })
      @port = Monitor::ServingPort.new(Listeners::Set.bind(listen), self, lobby: true)
      EchoingSpawner.new(settings: settings, board: @board, port: @port, system: Monitor::System.new, log: self)
    end

    # A program that was sent the first packet.
    def spawn(spawner)
      ours, theirs = Control::LobbyChannel.pair
      @pid = spawner.spawn(theirs, workers: 4)
      theirs.close
      @lobby = Monitor::LobbyHandle.new(row: @board.row(0), channel: ours, deadline: 1.0, memory: spawner.memory)
      spawner.introduce(@lobby)
      assert_equal ["registered", "keeper", @pid.to_s], receive.words
    end

    def receive
      BoundedWait.readable(@lobby.channel.socket)
      @lobby.channel.receive.message
    end

    # The descriptors and the lines that the program got.
    def heard
      values = receive.fields.group_by(&:first).transform_values { |pairs| pairs.map(&:last) }
      [values.fetch("descriptors").first.split(","), values.fetch("heard"), Integer(values.fetch("limit").first)]
    end

    test "the first packet has all settings, and descriptors in their order" do
      spawn(spawner(max_connections: 500, access_log: [:json, nil]))
      descriptors, (words, *lines), limit = heard

      assert_equal "start 1", words
      assert_equal %w[/memfd:coppice-requests /memfd:coppice-queue /memfd:coppice-board anon_inode:],
        descriptors.first(4).map { |target| target.sub("anon_inode:eventfd", "anon_inode:").sub(/\[eventfd.*/, "") }
      assert_equal [6, "socket:"], [descriptors.size, descriptors.last]
      assert_operator lines.size, :>, 30
      assert_includes lines, "listener 0 proxy_protocol 1 https 1 borrowed 0"
      assert_includes lines, "access_log json"
      assert_includes lines, "max_connections 500"
      assert_operator limit, :>=, 500
    end

    test "an access log that cannot be opened costs its lines, and not the lobby" do
      spawn(spawner(access_log: [:json, "/nonexistent/access.log"]))
      descriptors, (_, *lines), = heard

      assert_equal [6, File::NULL], [descriptors.size, descriptors[4]]
      assert_includes lines, "access_log json"
      assert_equal 1, @warnings.size
      assert_match(%r{\ANo such file or directory .* /nonexistent/access.log\z}, @warnings.first.last[:error])
    end

    test "only the listeners with the lobby go there, and the others to the workers" do
      spawner = spawner()

      assert_equal 1, @port.with_lobby.size
      assert_equal 1, @port.listeners_for(0, workers: 1).size
      refute_includes @port.with_lobby.first.descriptors, @port.listeners_for(0, workers: 1).first.fileno
      assert spawner
    end

    test "a seat's ring and its ends reach both sides" do
      spawn(spawner = spawner())
      heard
      seat = spawner.seat(7)
      @lobby.orders.add(Control::LobbyPacket.of("seat", 7, slot: 3), about: [:seat, 7], descriptors: seat.for_lobby)
      @lobby.orders.send
      descriptors, lines, = heard

      assert_equal ["seat 7", "slot 3"], lines
      assert_equal ["/memfd:coppice-ring", "socket:"], descriptors.values_at(0, 2)
      assert_equal 6, seat.for_worker(@lobby.memory).size
    ensure
      seat&.close
    end

    test "the shared memory can be sealed" do
      memory = spawner.memory

      [memory.requests, memory.queue].each do |file|
        assert_equal 0, file.fcntl(EchoingSpawner::ADD_SEALS, EchoingSpawner::SEAL_FUTURE_WRITE)
      end
    ensure
      memory&.close
    end

    test "a low limit of descriptors is said once" do
      spawner = spawner(max_connections: 1_000_000_000)
      2.times do
        spawn(spawner)
        @lobby.close
        BoundedWait.status_of(@pid)
        @pid = nil
      end

      assert_equal 1, @warnings.size
      assert_equal 1_000_000_000, @warnings.first.last[:max_connections]
    end

    test "without a program there is no lobby" do
      missing = Class.new(Monitor::LobbySpawner) { define_singleton_method(:executable) { "/nonexistent" } }

      assert_equal "there is no program /nonexistent", missing.obstacle
      assert_nil EchoingSpawner.obstacle
    end
  end
end
