# frozen_string_literal: true

require "tempfile"
require "support/lobby_test_case"

# What clients and workers may try, on purpose or not, without harm to others.
class LobbyDefenceTest < Coppice::LobbyTestCase
  LARGE = 8_000_000

  soak_test "a client is not handed over while answers to another one wait in the ring" do
    play
    with_file do |path|
      slow = answer_slowly(path)
      @lobby.finish
      @lobby.connect(GET)
      @lobby.pop
      @lobby.tell("ask 0 #{Coppice::LobbyPlay::ASK_CLIENT}")
      assert_equal Coppice::LobbyPlay::GONE.to_s, @lobby.tell("take 0").split.first
      @lobby.finish(flags: 0)
      assert_equal "after", @lobby.read_response(slow).last.byteslice(LARGE..)
    end
  end

  # The second file stays in the worker's socket until the first one is sent, and what the worker asks behind it. So the
  # lobby finds the question while it reads the ring.
  test "a worker that asks for a client while the lobby reads its answers gets none before those" do
    play(seats: 2) # so that a worker finds two requests in the queue
    with_file do |path|
      quick = @lobby.connect(GET)
      @lobby.pop
      slow = @lobby.connect(GET, receive_buffer: 4096)
      @lobby.await_counter(:requests, 2)
      queue_clients(1)
      while_loop_is_stopped { answer_two_and_ask(path) }

      assert_equal Coppice::LobbyPlay::GONE.to_s, @lobby.tell("take 0").split.first
      assert_equal "0123456789", @lobby.read_response(quick).last
      assert_equal "after", @lobby.read_response(slow).last.byteslice(LARGE..)
    end
  end

  test "what follows a file is not sent before it when the worker dies" do
    play
    with_file do |path|
      slow = answer_slowly(path)
      @lobby.publish
      @lobby.tell("gone 0 lost")
      body = @lobby.read_all(slow).split("\r\n\r\n", 2).last
      assert_equal File.binread(path), body
    end
  end

  test "connections whose requests were refused count for their client until they are closed" do
    play(max_connections_per_client: 1)
    refused = @lobby.connect("GET /\n")
    assert_refused 400, refused
    assert_refused 503, @lobby.connect
    refused.close
    @lobby.await_counter(:connections, 1)
  end

  test "clients that were refused and stay make room for others" do
    play(max_connections: 2)
    refused = Array.new(2) { @lobby.connect("GET /\n") }
    refused.each { |client| assert_refused 400, client }
    assert_served(@lobby.connect)
    assert_equal 0, @lobby.counter(:shed_max_connections)
  end

  private

  # A file, then bytes, for a client that does not read yet.
  def answer_slowly(path)
    slow = @lobby.connect(GET, receive_buffer: 4096)
    @lobby.pop
    answer_with_file(path)
    slow
  end

  def answer_with_file(path)
    @lobby.head(LARGE + 5)
    @lobby.tell("file 0 #{path} 0 #{LARGE}")
    @lobby.record(Coppice::LobbyPlay::DATA, "after")
  end

  def answer_two_and_ask(path)
    @lobby.head(10)
    @lobby.tell("file 0 #{path} 0 10")
    @lobby.finish
    @lobby.pop
    answer_with_file(path)
    @lobby.finish
    @lobby.pop
    @lobby.tell("ask 0 #{Coppice::LobbyPlay::ASK_CLIENT}")
  end

  def while_loop_is_stopped
    loop_pid = Integer(@lobby.tell("loop_pid"))
    Process.kill(:STOP, loop_pid)
    yield
  ensure
    Process.kill(:CONT, loop_pid)
  end

  def with_file
    Tempfile.create do |file|
      file.write("0123456789" * (LARGE / 10))
      file.flush
      yield file.path
    end
  end
end
