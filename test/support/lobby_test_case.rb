# frozen_string_literal: true

require "test_helper"
require "support/lobby_play"

module Coppice
  # A test with a lobby, whose monitor and workers it plays. Each ends by the end of the monitor, with status 0.
  class LobbyTestCase < TestCase
    GET = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n"

    def teardown
      assert_equal 0, @lobby.quit if @lobby
    end

    private

    def play(seats: 1, **settings)
      @lobby = LobbyPlay.new(**settings)
      seats.times { |number| @lobby.seat(number) }
      @lobby
    end

    # Clients whose requests are in the queue in this order: of clients that come at once, the lobby may read a
    # later one first.
    def queue_clients(count)
      before = @lobby.counter(:requests)
      Array.new(count) do |number|
        @lobby.connect(GET).tap { @lobby.await_counter(:requests, before + number + 1) }
      end
    end

    def assert_refused(status, client)
      head, body = @lobby.read_response(client)
      assert_match(%r{\AHTTP/1.1 #{status} }, head)
      assert_includes head, "connection: close\r\n"
      assert_match(/\A#{status}: .+\n\z/, body)
      head
    end

    # The connection works: the next request on it is answered.
    def assert_served(client, seat: 0, target: "/next")
      client.write("GET #{target} HTTP/1.1\r\nHost: a\r\n\r\n")
      assert_equal target, @lobby.pop(seat).target
      @lobby.answer("fine", seat: seat)
      assert_equal "fine", @lobby.read_response(client).last
    end

    # Before the loop is killed. The connection in its hand is the one that is lost: this one, when a new one comes
    # after all others were handled.
    def settle
      accepted, connections = %i[accepted connections].map { |name| @lobby.counter(name) }
      decoy = @lobby.connect
      @lobby.await_counter(:accepted, accepted + 1)
      decoy.close
      @lobby.await_counter(:connections, connections) # in a later turn: now the loop accepts nobody else
    end

    def loop_pid = Integer(@lobby.tell("loop_pid"))

    # Of the loop that runs, which may have more in use.
    def limit_descriptors(number)
      skip "prlimit(1) is not here" unless system("command -v prlimit >/dev/null")
      system("prlimit", "--pid", loop_pid.to_s, "--nofile=#{number}:", exception: true)
    end

    def assert_no_more_logged
      @lobby.tell("tell nonsense")
      assert_match(/ unknown packet/, @lobby.tell("await log"))
    end

    def assert_all_released
      client = @lobby.connect
      assert_served(client)
      client.close
      %i[waiting buffered_bytes file_bytes].each { |name| @lobby.await_counter(name, 0) }
    end
  end
end
