# frozen_string_literal: true

require_relative "../../test_helper"
require "support/lobby_test_case"

module Coppice
  # Whether the lobby accepts anybody, and what it says when it cannot.
  class LobbyListenersTest < LobbyTestCase
    test "a listener that cannot be watched is logged and shown" do
      play(seats: 0, watchable: false)
      assert_match(/ error a listener cannot be watched: Operation not permitted$/, @lobby.tell("await log"))
      @lobby.await_counter(:paused, 1)
    end

    test "without a descriptor only clients that come are refused, and the lobby goes on to accept" do
      play(descriptors: 32)
      came = 0
      until @lobby.counter(:shed_max_connections).positive?
        client = @lobby.connect
        came += 1
        BoundedWait.wait(BoundedWait::SECONDS, "client #{came} did not come", interval: 0) { came_by_count >= came }
      end
      assert_refused(503, client)
      assert_equal [came, 0], [came_by_count, @lobby.counter(:paused)]
      assert_no_more_logged
    end

    private

    def came_by_count = @lobby.counter(:accepted) + @lobby.counter(:shed_max_connections)
  end
end
