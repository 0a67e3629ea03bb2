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
  end
end
