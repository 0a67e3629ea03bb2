# frozen_string_literal: true

require_relative "../../test_helper"
require "coppice"
require_relative "../../support/http_harness"

module Coppice
  # A worker whose ring is full, because the lobby has no room for what its client does not read.
  class LobbyRoomTest < TestCase
    GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    LARGE = 1_000_000 # bytes, of which a fourth fits into the ring

    def setup
      super
      @lobby = TestLobby.new
    end

    def teardown
      @lobby.close
      super
    end

    test "it waits for as long as the lobby has the client" do
      harness = harness(client_write_timeout: 0.1) { [200, {}, ["x" * LARGE]] }
      serve(harness) do
        eventually { harness.cycle.postponed_ms > 300 }
        read_answers(1)
      end

      assert_operator @lobby.records.sum { |record| record.payload.bytesize }, :>, LARGE
      assert_predicate @lobby.records.last, :whole?
    end

    test "it gives up when the lobby is gone" do
      harness = harness(client_write_timeout: 0.1) { [200, {}, ["x" * LARGE]] }
      serve(harness) do
        eventually { harness.cycle.postponed_ms.positive? }
        @lobby.socket.close
      end
      @lobby.read_records

      refute_predicate @lobby.records.last, :whole?
    end

    test "its early hints wait" do
      serve(harness { [200, {}, ["x" * (LARGE / 4)]] })
      hinting = harness(early_hints: true) do |env|
        env["rack.early_hints"].call("link" => "</#{'a' * 14_000}>")
        [200, {}, []]
      end
      serve(hinting) do
        eventually { hinting.cycle.postponed_ms.positive? }
        read_answers(2)
      end

      assert_equal %i[hints head end], @lobby.records.last(3).map(&:type)
    end

    private

    def harness(**settings, &app) = HttpHarness.new(lobby: false, **settings, &app)

    # One request; a thread runs the block meanwhile.
    def serve(harness, &lobby)
      @lobby.push(GET)
      assert @lobby.seat.pop_into(harness.connection)
      meanwhile = Thread.new(&lobby) if lobby
      harness.exchange.serve
      BoundedWait.value_of(meanwhile) if meanwhile
    end

    def read_answers(count)
      eventually { @lobby.read_records && @lobby.records.count { |record| record.type == :end } == count }
    end
  end
end
