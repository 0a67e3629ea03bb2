# frozen_string_literal: true

require "support/lobby_test_case"

# A worker whose socket has no room for what it asks for: the lobby gives up nothing, and the client gets an answer.
class LobbyFullSocketTest < Coppice::LobbyTestCase
  LARGE = "a" * 1_000_000
  UPLOAD = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: #{LARGE.bytesize}\r\n\r\n#{LARGE}".freeze
  REFUSALS = 20 # more than the narrowest socket takes

  def setup
    super
    play
    fill_socket
  end

  test "a body that was not sent stays with the lobby" do
    client = @lobby.connect
    sender = Thread.new { client.write(UPLOAD) }
    assert_predicate @lobby.pop, :body_in_file?
    BoundedWait.value_of(sender)
    ask_in_vain(Coppice::LobbyPlay::ASK_BODY)
    assert_refused(502, client)
    @lobby.tell("take 0")
    @lobby.tell("ask 0 #{Coppice::LobbyPlay::ASK_BODY}")
    assert_equal "#{Coppice::LobbyPlay::BODY} 1 ", first_that_is_no_refusal
    @lobby.finish(flags: 0)
  end

  test "a client that was not sent is answered by the lobby" do
    client = @lobby.connect(GET)
    @lobby.pop
    ask_in_vain(Coppice::LobbyPlay::ASK_CLIENT)
    assert_refused(502, client)
    @lobby.finish(flags: 0)
  end

  private

  # With refusals, which the worker does not read.
  def fill_socket
    @lobby.tell("narrow 0")
    client = @lobby.connect(GET)
    @lobby.pop
    REFUSALS.times { @lobby.tell("ask 0 #{Coppice::LobbyPlay::ASK_BODY}") }
    assert_unreached
    @lobby.answer("")
    assert @lobby.read_response(client)
    @lobby.tell("tell nonsense") # behind what else was logged
    refute_equal "nothing", @lobby.tell("await log warn the lobby got an unknown packet")
  end

  def ask_in_vain(type)
    @lobby.tell("ask 0 #{type}")
    assert_unreached
  end

  def assert_unreached
    assert_match(/ a packet did not reach a worker/, @lobby.tell("await log warn"))
  end

  def first_that_is_no_refusal
    packet = @lobby.tell("take 0")
    packet = @lobby.tell("take 0") while packet == "#{Coppice::LobbyPlay::GONE} 0 "
    packet
  end
end
