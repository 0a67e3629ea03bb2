# frozen_string_literal: true

require "tempfile"
require "support/lobby_test_case"
require "support/process_descriptors"

# However a request or a connection ends, the lobby closes what it has opened and received for it.
class LobbyDescriptorsTest < Coppice::LobbyTestCase
  CHUNK = "30d40\r\n#{"b" * 200_000}\r\n".freeze # more than a slot takes
  CHUNKED = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n#{CHUNK}".freeze # its body is in a file
  UPLOAD = "#{CHUNKED}0\r\n\r\n".freeze
  TRAILERS = "A: b\r\n" * 65
  LARGE = 10_000_000 # bytes, more than the kernel takes for a client that does not read

  test "of a connection without a request, of one that was answered, and of one that was refused" do
    play(max_connections_per_client: 2)
    assert_gives_back("an idle connection") { @lobby.connect.close }
    assert_gives_back("one that was answered") { @lobby.connect.tap { |client| assert_served(client) }.close }
    assert_gives_back("a head that was refused") { refuse(400, @lobby.connect("GET /\n")) }
    assert_gives_back("a client beyond its limit") do
      others = Array.new(2) { @lobby.connect }
      refuse(503, @lobby.connect)
      others.each(&:close)
    end
  end

  test "of a body in a file that is refused" do
    [[413, CHUNK, { max_body_bytes: 300_000 }], [507, CHUNK, { buffer_disk_limit: 300_000 }], [400, "nonsense\r\n", {}],
     [431, "0\r\n#{TRAILERS}\r\n", {}], [408, "", { client_body_timeout_ms: 1000 }],
     [503, "0\r\n\r\n", { max_waiting: 0 }],
     [503, "0\r\n\r\n", { queue_timeout_ms: 200 }]].each do |status, rest, settings|
      play_anew(seats: 0, **settings)
      assert_gives_back("#{status} with #{settings}") do
        client = begin_upload
        client.write(rest)
        refuse(status, client)
      end
    end
  end

  test "of a body in a file whose client leaves" do
    play
    assert_gives_back("in the middle of it") { @lobby.reset(begin_upload) }
    assert_gives_back("while it waits") do
      client = @lobby.connect(UPLOAD)
      @lobby.await_counter(:requests, 1)
      @lobby.reset(client)
    end
    @lobby.await_counter(:client_gone, 1)
    assert_gives_back("while a worker has it") do
      client = @lobby.connect(UPLOAD)
      @lobby.pop
      @lobby.reset(client)
      @lobby.await_counter(:client_gone, 2)
      @lobby.finish(flags: 0)
    end
  end

  test "of a body in a file that a worker has read, and of one whose worker is lost" do
    play
    assert_gives_back("a body that was read") do
      client = @lobby.connect(UPLOAD)
      read_body(0)
      @lobby.answer("thanks")
      assert_equal "thanks", @lobby.read_response(client).last
      client.close
    end
    assert_gives_back("a body whose worker is lost") do
      @lobby.seat(1)
      client = @lobby.connect(UPLOAD)
      read_body(1)
      @lobby.tell("gone 1 lost")
      refuse(502, client)
    end
  end

  test "of an answer that was kept in a file" do
    play(response_buffer: 100_000)
    { "read" => ->(client) { client.tap { @lobby.read_response(client) }.close },
      "not read" => ->(client) { @lobby.reset(client) } }.each do |name, leave|
      assert_gives_back(name) do
        client = @lobby.connect(GET, receive_buffer: 4096)
        @lobby.answer_large(LARGE)
        leave.call(client)
      end
    end
  end

  test "of a worker's file" do
    play
    [1000, LARGE].each do |length|
      assert_gives_back("#{length} bytes that are read") do
        client = answer_with_file(length)
        assert_equal length, @lobby.read_response(client).last.bytesize
        client.close
      end
    end
    assert_gives_back("not read") { @lobby.reset(answer_with_file(LARGE, receive_buffer: 4096)) }
    @lobby.await_counter(:client_gone, 1)
    assert_gives_back("of a client that has left") do
      answer_with_file(LARGE) do |client|
        @lobby.reset(client)
        @lobby.await_counter(:client_gone, 2)
      end
    end
  end

  test "of a client that was handed over, and of a worker whose ring is spoilt" do
    play
    assert_gives_back("a client that was handed over") do
      client = @lobby.connect(GET)
      @lobby.pop
      @lobby.tell("ask 0 #{Coppice::LobbyPlay::ASK_CLIENT}")
      assert_equal "#{Coppice::LobbyPlay::CLIENT} 1 ", @lobby.tell("take 0")
      @lobby.tell("write 0 #{"ok".unpack1("H*")}")
      @lobby.finish
      assert_equal "ok", @lobby.read_all(client)
    end
    assert_gives_back("a spoilt ring") do
      @lobby.seat(1)
      client = @lobby.connect(GET)
      @lobby.pop(1)
      @lobby.tell("spoil 1")
      refuse(502, client)
      @lobby.tell("gone 1 lost")
    end
  end

  private

  def play_anew(**settings)
    @lobby&.quit
    play(**settings)
  end

  # By what they are.
  def descriptors = ProcessDescriptors.links(loop_pid).map { |link| link[%r{\A[\w/]+}] }.tally

  def assert_gives_back(what)
    before = now = eventually { ProcessDescriptors.at_rest(loop_pid) { descriptors } }
    yield
    eventually(BoundedWait::SECONDS, -> { "#{what}: #{before} became #{now}" }) { (now = descriptors) == before }
  end

  # A client whose body is not complete, and in a file.
  def begin_upload
    client = @lobby.connect(CHUNKED)
    eventually { @lobby.counter(:file_bytes).positive? }
    client
  end

  def refuse(status, client)
    assert_refused(status, client)
    client.close
  end

  def read_body(seat)
    assert_predicate @lobby.pop(seat), :body_in_file?
    @lobby.tell("ask #{seat} #{Coppice::LobbyPlay::ASK_BODY}")
    assert_equal "#{Coppice::LobbyPlay::BODY} 1 ", @lobby.tell("take #{seat}")
    @lobby.tell("content #{seat}")
  end

  # The client. The block comes between its request and the answer.
  def answer_with_file(length, **options)
    client = @lobby.connect(GET, **options)
    @lobby.pop
    yield client if block_given?
    Tempfile.create("lobby") do |file|
      file.truncate(length)
      @lobby.head(length)
      @lobby.tell("file 0 #{file.path} 0 #{length}")
    end
    @lobby.finish
    client
  end
end
