# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/worker"
require_relative "../../support/http_harness"

module Coppice
  class Worker
    # The loop of a worker with a seat at a lobby and, or not, a listener of its own.
    class ClientLoopTest < TestCase
      GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

      Settings = Struct.new(:accept_order, :timeout)
      Row = Struct.new(:seen_ms)
      Membership = Struct.new(:row)
      Board = Struct.new(:trial_watched)
      Inheritance = Struct.new(:board)

      # One whose time the test sets.
      StillRow = Struct.new(:now_ms) do
        def seen_ms = now_ms
        def seen_ms=(_time); end
      end

      # The Worker and its Life in one.
      class Process
        attr_reader :waiter, :settings, :membership, :obeyed

        def initialize(channel, settings)
          @channel = channel
          @waiter = Waiter.new.add(channel.fileno, :channel)
          @settings = settings
          @membership = Membership.new(Row.new)
          @obeyed = []
        end

        def life = self
        def inheritance = Inheritance.new(Board.new(0))
        def stop = @stopping = true
        def stopping? = @stopping

        def stop_without_channel = nil
        def message?(seconds) = !@channel.wait_readable(seconds).nil?

        def obey
          @obeyed << (message = @channel.readpartial(4).to_sym)
          stop if message == :stop
        end
      end

      # In the place of the exchange: notes what it serves.
      class Exchange
        attr_reader :connection, :served

        def initialize(connection)
          @connection = connection
          @served = []
        end

        def serve(&then_do)
          @then = then_do if then_do
          return if then_do

          @connection.read_head
          @served << @connection.content_length
          @connection.respond(200, {}, [])
          @connection.close
          @then&.call(@served.size)
        end
      end

      # In the place of the cycle: notes that the worker has nothing to do, and is about to sleep.
      class Cycle
        attr_reader :idled

        def idle = @idled = idled.to_i + 1
      end

      # Fails at the client of this number.
      FailingTrial = Struct.new(:number) do
        def failed? = (self.number -= 1).zero?
        def over? = false
      end

      # Notes how many clients were served when it is asked to work.
      Work = Struct.new(:exchange, :due, :overdue, :at, :then_do) do
        alias_method :due?, :due
        alias_method :overdue?, :overdue

        def call
          at << exchange.served.size
          self.due = self.overdue = false
          then_do.call
          true
        end
      end

      def setup
        @lobby = TestLobby.new
        @channel, @monitor = IO.pipe
        @process = Process.new(@channel, Settings.new(:any, 20))
        @connection = HttpHarness.new(lobby: false).connection
        @exchange = Exchange.new(@connection)
        @cycle = Cycle.new
      end

      def teardown
        @clients&.close
        @process.waiter.close
        [@channel, @monitor].each(&:close)
        @connection.close
        @lobby.close
      end

      test "requests of the lobby are served one after the other, and a message in between" do
        push(20)
        @monitor.write("stop")
        OS::Clock.stub(:now_ms, 1) { clients.serve_until_stopped } # or a batch could end for its time

        assert_equal [16, [:stop]], [@exchange.served.size, @process.obeyed]
      end

      test "a worker that has nothing to do sleeps until the lobby wakes it" do
        waker = Thread.new do
          eventually { @cycle.idled }
          push(1)
          eventually { @lobby.memory.read } # its answer
          @monitor.write("stop")
        end
        clients.serve_until_stopped
        BoundedWait.value_of(waker)

        refute_empty @exchange.served
      end

      test "a worker that is idle again at once does not note it again" do
        @process.membership.row = row = StillRow.new(1000)
        noted = []
        waker = Thread.new do
          [1099, 1100, 1101].each do |now_ms|
            eventually { @lobby.memory.take_sleeper }
            noted << @cycle.idled
            row.now_ms = now_ms
            @monitor.write("wake")
          end
          @monitor.write("stop")
        end
        clients.serve_until_stopped
        BoundedWait.value_of(waker)

        assert_equal [1, 1, 2], noted
      end

      test "only a client moves a worker behind the others, not a turn without one" do
        @process.settings.accept_order = :fair
        moves = moves_of(@process.waiter)
        waker = Thread.new do
          %w[wake wake stop].each_with_index do |message, turn|
            eventually { @lobby.memory.take_sleeper }
            push(1) if turn == 1
            @monitor.write(message)
          end
        end
        clients.serve_until_stopped
        BoundedWait.value_of(waker)

        assert_equal [0, 1], moves
      end

      test "out-of-band work waits until nobody waits" do
        push(20)
        work = Work.new(@exchange, true, false, [], -> { @monitor.write("stop") })
        clients(out_of_band: work).serve_until_stopped

        assert_equal [[20], [:stop]], [work.at, @process.obeyed]
      end

      test "out-of-band work gives way to an order" do
        @monitor.write("stop")
        work = Work.new(@exchange, true, false, [])
        clients(out_of_band: work).serve_until_stopped

        assert_equal [[], [:stop]], [work.at, @process.obeyed]
      end

      test "out-of-band work that can wait no longer is done between two clients" do
        push(40)
        work = Work.new(@exchange, true, true, [], -> { @monitor.write("stop") })
        clients(out_of_band: work).serve_until_stopped

        assert_operator work.at.first, :<, 40
      end

      test "a worker that the lobby has woken serves a request even if it must stop" do
        waker = Thread.new do
          eventually { @lobby.memory.take_sleeper }
          push(1)
          @monitor.write("stop") # is what wakes it
        end
        clients.serve_until_stopped
        BoundedWait.value_of(waker)

        assert_equal [1, [:stop]], [@exchange.served.size, @process.obeyed]
      end

      test "after a request that times out in its turn a worker obeys no order" do
        push(2)
        @monitor.write("fork")
        @exchange.serve { @process.stop }
        clients.serve_until_stopped

        assert_equal [1, []], [@exchange.served.size, @process.obeyed]
      end

      test "nor does it after a request that the lobby has woken it for" do
        waker = Thread.new do
          eventually { @lobby.memory.take_sleeper }
          push(2)
          @monitor.write("fork") # is what wakes it
        end
        @exchange.serve { @process.stop }
        clients.serve_until_stopped
        BoundedWait.value_of(waker)

        assert_equal [1, []], [@exchange.served.size, @process.obeyed]
      end

      test "after a failure on trial the next clients wait for the monitor's verdict" do
        push(3)
        @monitor.write("stop") # what the trial is told, whose failure was one too many
        clients(trial: FailingTrial.new(2)).serve_until_stopped

        assert_equal [2, [:stop]], [@exchange.served.size, @process.obeyed]
      end

      test "a draining worker serves what the lobby sends until it leaves" do
        push(3)
        @exchange.serve do |count|
          push(1) if count == 3
          @leaver = Thread.new { leave_when_asleep } if count == 4
        end
        clients.drain
        BoundedWait.value_of(@leaver)

        assert_equal [4, true], [@exchange.served.size, @process.stopping?]
      end

      test "a worker takes a seat at another lobby" do
        push(1)
        other = TestLobby.new
        clients.take_lobby(LobbySource.new(other.seat))
        other.push(GET)
        @exchange.serve { @monitor.write("stop") }
        clients.serve_until_stopped

        assert_equal [1, %i[head end]], [@exchange.served.size, other.read_records.map(&:type)]
        assert_empty @lobby.read_records
      ensure
        other&.close
      end

      test "a listener's clients are served beside those of the lobby" do
        server = Addrinfo.tcp("127.0.0.1", 0).listen
        server.fcntl(Fcntl::F_SETFL, File::NONBLOCK)
        client = server.local_address.connect
        client.write(GET)
        push(40)
        @exchange.serve { |count| @monitor.write("stop") if count == 41 }
        clients([ListenerSource.new(server, nil)]).serve_until_stopped

        assert_match(/\AHTTP/, BoundedWait.read(client))
      ensure
        client&.close
      end

      private

      def clients(listeners = [], **options)
        @clients ||= ClientLoop.new(@process, listeners, exchange: @exchange, cycle: @cycle, **options,
          lingering: Http::Lingering.new(ClientLoop::LINGER_MS), lobby: LobbySource.new(@lobby.seat))
      end

      def push(count) = count.times { @lobby.push(GET) }

      # The number of clients that were served before each.
      def moves_of(waiter)
        exchange = @exchange
        [].tap { |moves| waiter.define_singleton_method(:wake_last) { (moves << exchange.served.size) && super() } }
      end

      # The worker has announced its sleep once the lobby can take the announcement.
      def leave_when_asleep
        eventually { @lobby.memory.take_sleeper }
        @lobby.socket.close
      end
    end
  end
end
