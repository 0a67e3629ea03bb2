# frozen_string_literal: true

require_relative "../../../support/fake_server_rolls"
require_relative "../../../support/supervision_test_case"

# Services that have the WebSockets of a path.
class HandshakesTest < SupervisionTestCase
  include FakeServerRolls

  CABLE = { "cable" => { path: "/cable", survives_reforks: true } }.freeze

  def names(server) = server.roster.services.map { |handle| handle.service.name }

  def kill(server, handle) = server.system.die(server.process_of(handle), FakeSystem::Status.new(nil, 9))

  test "a service that has a path is forked for the first client, and told apart from one that takes none" do
    server = settled_server(services: CABLE)
    clients = server.roster.handshakes.service_end

    assert_equal [[], [clients]], [names(server), server.roster.handshakes.readers]
    assert_equal ["0"], held(server)
    come(server)

    assert_equal [["cable"], []], [names(server), server.roster.handshakes.readers]
    kill(server, server.roster.service("cable"))
    server.settle

    assert_equal [[], %w[0 1]], [names(server), held(server)]
    server.system.advance(0.1)
    server.settle

    assert_equal [["cable"], %w[0 1 0]], [names(server), held(server)]
    server.operations.stop_gracefully
    server.settle

    assert_equal "1", held(server).last
  end

  test "after a roll the next client gets a new one, while the former one closes its sockets" do
    server = settled_server(services: CABLE, releases: { "/releases/2" => {} })
    come(server)
    former = server.roster.service("cable")
    server.roster.handshakes.service_end.recv(100) # as it does
    server.process_of(former).hanging = true
    roll(server, "/releases/2")
    server.settle

    assert_equal [true, nil, ["0"]], [former.leaving?, server.roster.service("cable"), held(server)]
    come(server)

    assert_equal [2, 2], [server.roster.services.size, server.roster.service("cable").release.number]
    server.process_of(former).hanging = false
    server.settle

    assert_equal [["cable"], ["0"]], [names(server), held(server)]
  end

  test "a server that stops waits for no client" do
    server = settled_server(services: CABLE)
    server.operations.stop_gracefully
    server.turn

    assert_empty server.roster.handshakes.readers
  end

  test "a release that wants clients where no lobby is gets none" do
    server = settled_server(**WITHOUT_LOBBY)
    cable = Coppice::Config::ServiceDefinition.new(name: "cable", path: "/cable", survives_reforks: true)
    server.roster.stub(:service_definitions, [cable]) { server.turn }

    assert_equal [[], []], [names(server), server.roster.handshakes.readers]
  end

  test "without a mold one is made for the first client" do
    server = settled_server(services: CABLE, keep_mold: false)
    server.system.advance(11)
    server.settle

    assert_nil server.roster.mold
    come(server)

    assert_equal ["cable"], names(server)
  end

  # Names of the services once a client has come, and of those that the configuration does not have.
  def services_for_websockets(**settings)
    server = server_of(**settings)
    run_until(server) { server.roster.candidate }
    server.roster.candidate.row.handshakes_path = "/cable"
    server.settle
    come(server) if server.roster.handshakes.service_end
    [names(server), server.roster.handshakes.detected.map(&:name)]
  ensure
    server.close
    @server = nil
  end

  test "an application that says where its WebSockets are gets a service for them, unless the configuration has one" do
    named = { "service cable": "coppice.rb:1" }

    assert_equal [["cable"], ["cable"]], services_for_websockets
    assert_equal [%w[jobs cable], ["cable"]], services_for_websockets(services: { "jobs" => {} })
    assert_equal [["cable"], []], services_for_websockets(services: { "cable" => {} }, origins: named)
    assert_equal [[], []], services_for_websockets(origins: named)
    assert_equal [["ws"], []], services_for_websockets(services: { "ws" => { path: "/ws" } })
  end

  # What the lobby was told about the service, over time.
  def held(server) = server.system.lobby.heard.select { |words| words.first == "hold-handshakes" }.map(&:last)

  # A client's handshake, which nobody takes.
  def come(server)
    packet = Coppice::Control::LobbyPacket.of("handshakes")
    server.roster.handshakes.descriptors(packet).first.send("client", 0)
    server.settle
  end
end
