# frozen_string_literal: true

require_relative "../../test_helper"
require_relative "../../support/http_harness"

module Coppice
  # A worker's seat at the lobby: what it takes, when it sleeps, and what forks may do with it.
  class LobbySeatTest < TestCase
    GET = "GET /a?b HTTP/1.1\r\nHost: a\r\n\r\n"

    def setup
      super
      @lobby = TestLobby.new
    end

    def teardown
      @lobby.close
      super
    end

    test "a request that could not be ended is not taken" do
      fill_ring
      @lobby.push(GET)
      connection = HttpHarness.new(lobby: false).connection

      refute @lobby.seat.pop_into(connection)
      assert_predicate @lobby.seat, :sleep?
      @lobby.read_records
      refute_predicate @lobby.seat, :sleep?
      assert @lobby.seat.pop_into(connection)
      connection.close
    end

    test "no request is taken while the lobby leaves an answer unread" do
      @lobby.memory.stalled = true
      @lobby.push(GET)
      connection = HttpHarness.new(lobby: false).connection

      refute @lobby.seat.pop_into(connection)
      assert_predicate @lobby.seat, :sleep?
      @lobby.memory.stalled = false
      refute_predicate @lobby.seat, :sleep?
      assert @lobby.seat.pop_into(connection)
      connection.close
    end

    test "a worker that announced its sleep learns whether it was woken" do
      assert_equal [true, false], [@lobby.seat.sleep?, @lobby.seat.awake]
      @lobby.seat.sleep?
      @lobby.push(GET)

      assert @lobby.seat.awake
      refute_predicate @lobby.seat, :sleep?
    end

    test "a worker that announces its sleep wakes a lobby that wants one" do
      woken = [false, true].map do |wants_workers|
        assert @lobby.memory.sleeps?(wants_workers)
        assert_predicate @lobby.seat, :sleep?
        @lobby.memory.wakes
      end
      assert_equal [0, 1], woken
    end

    test "a worker that was woken wakes a lobby that wants one when it has taken its request" do
      connection = HttpHarness.new(lobby: false).connection
      woken = [true, false].map do |asleep|
        @lobby.seat.sleep? if asleep
        @lobby.push(GET)
        @lobby.seat.awake if asleep
        assert @lobby.memory.sleeps?(true) # the request still waits for a worker that is not free any more
        assert @lobby.seat.pop_into(connection)
        @lobby.memory.wakes.tap do
          connection.close
          @lobby.memory.take_answered
        end
      end
      assert_equal [1, 0], woken
    end

    test "a worker that sleeps beside a request looks for it again soon" do
      connection = HttpHarness.new(lobby: false).connection
      refute_predicate @lobby.seat, :awaited?
      @lobby.push(GET)
      assert_predicate @lobby.seat, :awaited?
      @lobby.memory.stalled = true
      refute_predicate @lobby.seat, :awaited? # it may not take it
      @lobby.memory.stalled = false
      @lobby.seat.pop_into(connection)
      refute_predicate @lobby.seat, :awaited?
      connection.close
    end

    test "the end of the lobby is noticed, also behind packets that nobody waited for" do
      @lobby.send_packet(TestLobby::GONE, 1)
      refute_predicate @lobby.seat, :ended?
      @lobby.send_packet(TestLobby::GONE, 1)
      @lobby.socket.close_write

      assert_predicate @lobby.seat, :ended?
    end

    test "a process forked meanwhile neither answers nor takes, and closes what it has" do
      harness = HttpHarness.new(lobby: false)
      @lobby.push(GET)
      @lobby.seat.pop_into(harness.connection)
      @lobby.push(GET)
      %i[forget close abort].each { |way| assert_equal 0, forked { forsake(harness.connection, way) } }

      assert_empty @lobby.read_records
      assert_equal [true, true], [harness.connection.open?, harness.connection.read_head]
      harness.connection.respond(200, {}, ["mine"])
      harness.connection.close
      assert_equal "mine", @lobby.read_records[0].payload[/\r\n\r\n(.*)/m, 1]
    end

    test "a seat is not left with a request in hand" do
      harness = HttpHarness.new(lobby: false)
      @lobby.push(GET)
      @lobby.seat.pop_into(harness.connection)

      assert_raises(IOError) { @lobby.seat.close }
      assert_raises(IOError) { @lobby.seat.pop_into(HttpHarness.new(lobby: false).connection) }
      harness.connection.close
    end

    test "more than there is address space for is refused, with the limit's name" do
      requests = File.for_fd(OS.memory_file("requests"), "w+b")
      requests.truncate(1 << 60)
      error = assert_raises(Errno::ENOMEM) { LobbySeat.new(0, *[requests.fileno] * 6) }

      assert_includes error.message, "ulimit -v"
    ensure
      requests&.close
    end

    test "what is not a lobby's memory is refused" do
      IO.pipe do |reader, _|
        assert_raises(SystemCallError) { LobbySeat.new(0, *[reader.fileno] * 6) }
      end
      descriptors = @lobby.memory.descriptors
      assert_raises(ArgumentError) { LobbySeat.new(0, descriptors[1], *descriptors.drop(1), 0) }
      assert_raises(ArgumentError) { LobbySeat.new(5000, *descriptors, 0) }
    end

    private

    # Answers of requests that the lobby does not read.
    def fill_ring
      connection = HttpHarness.new(lobby: false) { nil }.connection
      @lobby.push(GET)
      @lobby.seat.pop_into(connection)
      connection.start_response(200, {})
      connection.write("x" * 200_007)
      connection.close
      small = HttpHarness.new(lobby: false) { [204, {}, []] }
      while @lobby.push(GET) && @lobby.seat.pop_into(small.connection)
        small.connection.close
      end
    end

    def forked
      pid = fork do
        yield
        exit!(0)
      end
      BoundedWait.status_of(pid).exitstatus
    end

    def forsake(connection, way)
      exit!(2) unless raises_io_error? { connection.respond(200, {}, ["copy"]) }
      exit!(3) unless raises_io_error? { connection.peer_gone? } && raises_io_error? { connection.detach }
      exit!(4) unless raises_io_error? { @lobby.seat.pop_into(HttpHarness.new(lobby: false).connection) }
      connection.public_send(way)
      exit!(5) if connection.open?
      @lobby.seat.close
    end

    def raises_io_error?
      yield
      false
    rescue IOError
      true
    end
  end
end
