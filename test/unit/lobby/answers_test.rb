# frozen_string_literal: true

require "tempfile"
require "support/lobby_test_case"

# How answers get from a worker's ring to a client that may be slow (ext/coppice/lobby/worker/answers.c, output.c).
class LobbyAnswersTest < Coppice::LobbyTestCase
  PATTERN = ("a".."w").to_a.join
  LARGE = 20_000_000

  test "a large answer to a client that reads" do
    play
    client = @lobby.connect(GET)
    reader = Thread.new { @lobby.read_all(client) }
    @lobby.answer_large(LARGE, keep: false)
    assert_large(reader.value)
  end

  test "a worker is done with a large answer before its client has read a byte" do
    play
    client = @lobby.connect(GET, receive_buffer: 4096)
    @lobby.answer_large(LARGE)
    assert_served(@lobby.connect)
    assert_operator @lobby.counter(:buffered_bytes), :>, 500_000
    assert_operator @lobby.counter(:file_bytes), :>, 10_000_000
    _, body = @lobby.read_response(client)
    assert_large_body(body)
    assert_served(client)
    assert_all_released
  end

  # The first answer fits in, the second one does not: its worker waits, and so does the third client.
  test "when nothing more can be kept, the slowest reader is cut off for those who would wait" do
    play(buffer_disk_limit: (LARGE * 4 / 3) + 1_000_000, client_write_timeout_ms: 600_000)
    slow, second = [4096, 1_000_000].map do |bytes|
      client = @lobby.connect(GET, receive_buffer: bytes)
      @lobby.pop
      @lobby.connect("GET /waits HTTP/1.1\r\nHost: a\r\n\r\n") if bytes > 4096
      @lobby.head(LARGE)
      @lobby.tell("fill 0 #{LARGE}")
      @lobby.finish
      client
    end
    assert_equal "/waits", @lobby.pop.target
    assert_equal 1, @lobby.counter(:slow_readers)
    assert_equal :reset, @lobby.read_all(slow)
    assert_large_body(@lobby.read_response(second).last)
  end

  test "a file is sent behind the head" do
    play
    with_file do |path|
      client = @lobby.connect(GET)
      @lobby.pop
      @lobby.head(LARGE - 23)
      @lobby.tell("file 0 #{path} 23 #{LARGE - 23}")
      reader = Thread.new { @lobby.read_response(client) }
      @lobby.finish
      assert_equal File.binread(path)[23..], reader.value.last
      assert_served(client)
    end
  end

  test "a worker is done with a file before its client has read it" do
    play
    with_file do |path|
      client = @lobby.connect(GET, receive_buffer: 4096)
      @lobby.pop
      @lobby.head(LARGE)
      @lobby.tell("file 0 #{path} 0 #{LARGE}")
      @lobby.finish
      assert_served(@lobby.connect)
      assert_equal LARGE, @lobby.read_response(client).last.bytesize
      assert_served(client)
    end
  end

  test "a worker's next file comes while the lobby looks for packets" do
    play(seats: 2, program: Coppice::LobbyPlay::LATE_LOOP)
    clients = queue_clients(2)
    with_file do |path|
      clients.each do
        @lobby.pop
        @lobby.head(LARGE)
        @lobby.tell("file 0 #{path} 0 #{LARGE}")
        @lobby.finish
      end
      clients.each { |client| assert_large_body(@lobby.read_response(client).last) }
    end
  end

  test "two files and bytes between them come in order" do
    play
    with_file do |path|
      client = @lobby.connect(GET, receive_buffer: 4096)
      @lobby.pop
      @lobby.head(6_000_003)
      @lobby.tell("file 0 #{path} 0 3000000")
      @lobby.record(Coppice::LobbyPlay::DATA, "<->")
      @lobby.tell("file 0 #{path} 23 3000000")
      @lobby.finish
      body = @lobby.read_response(client).last
      content = File.binread(path)
      assert_equal content[0, 3_000_000] + "<->" + content[23, 3_000_000], body
    end
  end

  test "a file that is shorter than announced ends in a reset" do
    play
    with_file do |path|
      client = @lobby.connect(GET)
      @lobby.pop
      @lobby.head(LARGE + 1)
      @lobby.tell("file 0 #{path} #{LARGE - 10} 11")
      @lobby.finish
      assert_equal :reset, @lobby.read_all(client)
    end
  end

  test "a client that does not read is cut off" do
    play(client_write_timeout_ms: 500)
    client = @lobby.connect(GET, receive_buffer: 4096)
    @lobby.answer_large(LARGE)
    @lobby.await_counter(:slow_readers, 1)
    assert_equal :reset, @lobby.read_all(client)
    assert_all_released
  end

  test "an answer that is cut ends the connection" do
    play
    client = @lobby.connect(GET)
    @lobby.pop
    @lobby.head(100)
    @lobby.record(Coppice::LobbyPlay::DATA, "part")
    @lobby.finish(flags: 0)
    assert_match(/part\z/, @lobby.read_all(client))
  end

  test "an answer that only a reset can cut ends with one" do
    play
    client = @lobby.connect(GET)
    @lobby.pop
    @lobby.record(Coppice::LobbyPlay::HEAD, "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n", status: 200)
    @lobby.finish(flags: Coppice::LobbyPlay::RESET)
    assert_equal :reset, @lobby.read_all(client)
  end

  test "no answer closes the connection" do
    play
    client = @lobby.connect(GET)
    @lobby.pop
    @lobby.finish(flags: 0)
    assert_equal "", @lobby.read_all(client)
  end

  test "a client that leaves while its answer waits leaves nothing" do
    play
    client = @lobby.connect(GET, receive_buffer: 4096)
    @lobby.pop
    @lobby.head(LARGE)
    @lobby.tell("fill 0 3000000")
    @lobby.await_counter(:requests, 1)
    @lobby.reset(client)
    @lobby.await_counter(:connections, 0)
    @lobby.tell("fill 0 3000000")
    @lobby.finish
    assert_all_released
  end

  test "a client that was asked for, and whose answer ended before it could be handed over, sees the end" do
    play
    client = @lobby.connect(GET, receive_buffer: 4096)
    @lobby.pop
    @lobby.head(LARGE)
    @lobby.tell("fill 0 #{LARGE}")
    @lobby.publish
    @lobby.tell("ask 0 #{Coppice::LobbyPlay::ASK_CLIENT}")
    @lobby.finish
    @lobby.await_counter(:answered, 1)
    assert_large_body(@lobby.read_response(client).last)
    assert_served(client)
    client.close
    @lobby.await_counter(:connections, 0)
  end

  test "the client is handed over behind what was answered" do
    play
    client = @lobby.connect("#{GET}ahead")
    @lobby.pop
    @lobby.head(1_000_002)
    @lobby.tell("fill 0 1000000")
    @lobby.tell("ask 0 #{Coppice::LobbyPlay::ASK_CLIENT}")
    taken = Thread.new { @lobby.tell("take 0") }
    body = +""
    head = +""
    head << @lobby.read_some(client, 1) until head.end_with?("\r\n\r\n")
    body << @lobby.read_some(client, 65_536) while body.bytesize < 1_000_000
    assert_equal "#{Coppice::LobbyPlay::CLIENT} 1 #{"ahead".unpack1("H*")}", BoundedWait.value_of(taken)
    assert_equal "0", @lobby.tell("client_gone 0")
    @lobby.tell("write 0 #{"ok".unpack1("H*")}")
    assert_equal "ok", @lobby.read_all(client)
    @lobby.finish
    @lobby.await_counter(:connections, 0)
    assert_all_released
  end

  test "a worker that asks for a client that is gone is told so" do
    play
    client = @lobby.connect(GET)
    @lobby.pop
    @lobby.reset(client)
    @lobby.await_counter(:client_gone, 1)
    [Coppice::LobbyPlay::ASK_CLIENT, Coppice::LobbyPlay::ASK_BODY].each do |type|
      @lobby.tell("ask 0 #{type}")
      assert_equal "#{Coppice::LobbyPlay::GONE} 0 ", @lobby.tell("take 0")
    end
    @lobby.finish(flags: 0)
    assert_all_released
  end

  private

  def with_file
    Tempfile.create("lobby") do |file|
      file.write(PATTERN * (LARGE / 23), PATTERN[0, LARGE % 23])
      file.close
      yield file.path
    end
  end

  def assert_large(answer)
    assert_large_body(answer.split("\r\n\r\n", 2).last)
  end

  def assert_large_body(body)
    assert_equal LARGE, body.bytesize
    # Each piece of 32 KiB begins where the pattern is, as `fill` counts from its first byte.
    assert body.start_with?(PATTERN * 3)
    assert_equal PATTERN * (LARGE / 23) + PATTERN[0, LARGE % 23], body
  end
end
