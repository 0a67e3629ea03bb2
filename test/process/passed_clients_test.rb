# frozen_string_literal: true

require "socket"
require "test_helper"
require "coppice/threaded_server"
require "coppice/threaded_server/passed_clients"
require_relative "../support/recording_log"

# Clients that the lobby passes to a service, in a process that has few descriptors.
class PassedClientsTest < Coppice::TestCase
  Served = Coppice::ThreadedServer::PassedClients
  CLIENTS = 4

  def setup
    @lobby, @service = Socket.pair(:UNIX, :SEQPACKET)
  end

  def teardown
    [@lobby, @service].each(&:close)
  end

  # With descriptors for three clients at most. Says how many it has taken, and what it has logged.
  def serve
    @lobby.close # its end is the end of the service
    Process.setrlimit(:NOFILE, free_behind_a_pipe + CLIENTS - 1 + Served::SPARE_DESCRIPTORS)
    clients, log = SizedQueue.new(CLIENTS), RecordingLog.new
    Served.new(@service, clients, Coppice::Http::Lingering.new(1), log).call
    puts clients.size, log.saying("clients are refused: no descriptor is left for their sockets").size
    $stdout.flush
    exit!
  end

  # Which it has for itself.
  def free_behind_a_pipe
    pipe = IO.pipe
    File.open(File::NULL, &:fileno)
  ensure
    pipe.each(&:close)
  end

  test "the client for whom none is left gets 503, and those before it stay" do
    service = IO.popen("-")
    serve unless service
    clients = Array.new(CLIENTS) { pass_client }
    answer = BoundedWait.readable(clients.last).read
    @lobby.close

    assert_match(/\AHTTP.1.1 503 .*no descriptor/m, answer)
    assert_equal [true, "1"], service.read.split.then { |taken, lines| [taken.to_i.between?(1, CLIENTS - 1), lines] }
  ensure
    [service, *clients].compact.each(&:close)
  end

  def pass_client
    client, passed = UNIXSocket.pair
    @lobby.sendmsg("- 0 an-id\n", 0, nil, Socket::AncillaryData.unix_rights(passed))
    client
  ensure
    passed.close
  end
end
