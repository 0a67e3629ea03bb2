# frozen_string_literal: true

require_relative "../../test_helper"
require "support/lobby_test_case"

module Coppice
  # Whether the lobby accepts anybody, and what it says when it cannot.
  class LobbyListenersTest < LobbyTestCase
    FEWER_THAN_IN_USE = 3
    UNWATCHED = / error a listener cannot be watched: Operation not permitted$/
    NO_DESCRIPTOR = / error the lobby cannot accept connections: Too many open files$/

    test "a listener that cannot be watched is shown, and logged once by each loop" do
      play(seats: 0, watchable: false)
      assert_logged_once(UNWATCHED)
      Process.kill(:KILL, loop_pid)
      assert_logged_once(UNWATCHED)
    end

    test "a lobby that cannot accept shows it until it can, and logs it once" do
      client = play_without_descriptors
      assert_logged_once(NO_DESCRIPTOR)
      limit_descriptors(1024)
      assert_served(client)
      assert_equal 0, @lobby.counter(:paused)
      limit_descriptors(FEWER_THAN_IN_USE)
      @lobby.connect
      assert_logged_once(NO_DESCRIPTOR)
    end

    test "a lobby that drains is to accept nobody, and so is not shown as one that cannot" do
      play_without_descriptors
      @lobby.await_counter(:paused, 1)
      @lobby.tell("tell drain")
      assert_equal "drained", @lobby.tell("await drained")
      assert_equal 0, @lobby.counter(:paused)
    end

    test "without a descriptor those who wait when a drain begins are told so" do
      play(descriptors: 32)
      connect_next until all_in_use?(32)
      Process.kill(:STOP, loop_pid)
      waiting = Array.new(3) { @lobby.connect(GET) }
      @lobby.tell("tell drain")
      Process.kill(:CONT, loop_pid)
      waiting.each { |client| assert_refused(503, client) }
    end

    test "without a descriptor only clients that come are refused, and the lobby goes on to accept" do
      play(descriptors: 32)
      client = connect_next until @lobby.counter(:shed_max_connections).positive?
      assert_refused(503, client)
      assert_equal [1, 0], [@lobby.counter(:shed_max_connections), @lobby.counter(:paused)]
      assert_no_more_logged
    end

    test "a client that takes the last descriptor costs nobody else his connection" do
      play(descriptors: 32)
      assert_served(@lobby.connect) until @lobby.counter(:evicted).positive? || all_in_use?(32)
      assert_equal [true, 0], [all_in_use?(32), @lobby.counter(:evicted)]
      assert_served(@lobby.connect)
      assert_equal [true, 1], [all_in_use?(32), @lobby.counter(:evicted)]
    end

    test "a reserve that was lost is there again before the last descriptor is in use" do
      lost = play_without_descriptors
      @lobby.await_counter(:paused, 1)
      limit_descriptors(32)
      assert_served(lost)
      connect_next until @lobby.counter(:shed_max_connections).positive? || @lobby.counter(:paused).positive?
      assert_equal 0, @lobby.counter(:paused)
    end

    private

    # Some that the lobby was started with may be beyond the limit.
    def all_in_use?(limit) = (Array.new(limit, &:to_s) - Dir.children("/proc/#{loop_pid}/fd")).empty?

    def play_without_descriptors
      play
      limit_descriptors(FEWER_THAN_IN_USE)
      @lobby.connect
    end

    # The lobby has tried once more when it tells of the packet behind `accept`, or in the next turn.
    def assert_logged_once(line)
      assert_match(line, @lobby.tell("await log"))
      3.times do
        @lobby.await_counter(:paused, 1)
        @lobby.tell("tell accept")
        assert_no_more_logged
      end
    end

    # One that the lobby has accepted or refused, unless it cannot.
    def connect_next
      before = came_by_count
      @lobby.connect.tap do
        BoundedWait.wait(BoundedWait::SECONDS, "the client did not come", interval: 0) do
          came_by_count > before || @lobby.counter(:paused).positive?
        end
      end
    end

    def came_by_count = @lobby.counter(:accepted) + @lobby.counter(:shed_max_connections)
  end
end
