# frozen_string_literal: true

require "support/lobby_test_case"
require "support/small_disk"

# Answers that their clients do not read, or not as fast as they come, once nothing more can be kept of them.
class LobbySlowReadersTest < Coppice::LobbyTestCase
  LARGE = 20_000_000

  test "a worker waits for the client when nothing more can be kept" do
    play(buffer_disk_limit: 0, response_buffer: 100_000)
    client = @lobby.connect(GET, receive_buffer: 4096)
    @lobby.pop
    @lobby.head(LARGE)
    filled = Thread.new { @lobby.tell("fill 0 #{LARGE}") }
    assert_match(%r{\AHTTP/1.1 200}, @lobby.read_some(client, 100))
    assert_predicate filled, :alive?
    drained = 0
    drained += @lobby.read_some(client, 65_536).bytesize while drained < LARGE / 2
    assert_predicate filled, :alive?
    reader = Thread.new { @lobby.read_all(client) }
    BoundedWait.value_of(filled)
    @lobby.finish
    @lobby.await_counter(:answered, 1)
    @lobby.tell("tell drain")
    BoundedWait.value_of(reader)
  end

  test "when nothing more can be kept, clients slower than client_min_rate are cut off" do
    play(seats: 2, buffer_disk_limit: 0, response_buffer: 100_000, client_min_rate: 4096,
         client_write_timeout_ms: 600_000)
    slow = @lobby.connect(GET, receive_buffer: 4096)
    @lobby.answer_large(LARGE)
    @lobby.await_counter(:slow_readers, 1)
    assert_equal :reset, @lobby.read_all(slow)
    assert_served(@lobby.connect, seat: 1)
  end

  test "two clients of one worker's time: a slow one does not hold the other" do
    play(seats: 2, buffer_disk_limit: 0, response_buffer: 100_000)
    slow = @lobby.connect(GET, receive_buffer: 4096)
    @lobby.pop(0)
    @lobby.head(200_000)
    @lobby.tell("fill 0 200000")
    @lobby.publish
    other = @lobby.connect
    3.times { |number| assert_served(other, seat: 1, target: "/#{number}") }
    @lobby.finish
    assert_equal 200_000, @lobby.read_response(slow).last.bytesize
  end

  test "no request waits behind an answer that is not read" do
    play(seats: 2, buffer_disk_limit: 0, response_buffer: 100_000)
    slow = @lobby.connect(GET, receive_buffer: 4096)
    @lobby.pop(0)
    @lobby.record(Coppice::LobbyPlay::HEAD, "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n", status: 200)
    bytes = fill_until_stalled(100_000)
    @lobby.finish
    assert_served(@lobby.connect, seat: 1) # meanwhile the lobby looks at the ring of seat 0
    other = @lobby.connect(GET)
    @lobby.await_counter(:requests, 3)
    assert_nil @lobby.try_pop(0)
    assert_equal "/hello", @lobby.pop(1).target
    @lobby.answer("at once", seat: 1)
    assert_equal "at once", @lobby.read_response(other).last
    assert_equal bytes, @lobby.read_all(slow).split("\r\n\r\n", 2).last.bytesize
    assert_served(@lobby.connect)
  end

  test "uploads use nothing of the three quarters of the disk that answers may have" do
    play(buffer_disk_limit: 48_000_000)
    begin_upload(24_000_000)
    client = @lobby.connect(GET, receive_buffer: 4096)
    @lobby.answer_large(LARGE)
    assert_served(@lobby.connect)
    assert_operator @lobby.counter(:file_bytes), :>, 36_000_000
    assert_equal LARGE, @lobby.read_response(client).last.bytesize
  end

  test "an answer that finds the disk full of uploads waits, and is not cut" do
    play(buffer_disk_limit: 20_000_000)
    begin_upload(19_000_000)
    assert_waits_for_its_client
  end

  test "an answer that finds buffer_directory full waits, and is not cut" do
    SmallDisk.open do |disk|
      play(buffer_directory: disk.folder, response_buffer: 100_000)
      disk.fill
      assert_waits_for_its_client
    end
  end

  test "a full buffer_directory that has no files for the lobby holds no worker" do
    SmallDisk.open do |disk|
      disk.fill
      disk.forbid_writing
      play(buffer_directory: disk.folder, response_buffer: 100_000)
      client = @lobby.connect(GET, receive_buffer: 4096)
      @lobby.answer_large(LARGE)
      @lobby.await_counter(:answered, 1)
      assert_equal LARGE, @lobby.read_response(client).last.bytesize
    end
  end

  test "an answer that waits for buffer_directory goes on when another process has made room there" do
    SmallDisk.open do |disk|
      play(buffer_directory: disk.folder, response_buffer: 100_000)
      filler = disk.fill
      client = open_response(0)
      bytes = fill_until_stalled(100_000)
      assert_equal 0, @lobby.counter(:file_bytes)
      File.unlink(filler)
      eventually { @lobby.counter(:file_bytes).positive? }
      @lobby.finish
      @lobby.await_counter(:answered, 1)
      assert_equal bytes, @lobby.read_all(client).split("\r\n\r\n", 2).last.bytesize
    end
  end

  test "readers who hold the workers are cut off for those who wait where answers fill buffer_directory" do
    SmallDisk.open do |disk|
      play(seats: 2, buffer_directory: disk.folder, response_buffer: 100_000)
      2.times { |seat| open_response(seat) }
      fill_until_stalled(100_000) # the rest goes to a file
      eventually { @lobby.counter(:file_bytes).positive? }
      disk.fill
      3.times { @lobby.tell("fill 0 50000") }
      @lobby.publish
      fill_until_stalled(kept + 100_000, seat: 1)
      @lobby.connect(GET)
      @lobby.await_counter(:slow_readers, 1)
      eventually { @lobby.try_pop(0) || @lobby.try_pop(1) }
    end
  end

  test "readers who hold the workers are cut off for those who wait where nothing can be written and memory is left" do
    SmallDisk.open do |disk|
      disk.fill
      play(seats: 2, buffer_directory: disk.folder, response_buffer: 100_000)
      2.times do |seat|
        open_response(seat)
        fill_until_stalled(kept + 100_000, seat: seat)
      end
      waiting = @lobby.connect(GET)
      @lobby.await_counter(:slow_readers, 1)
      seat = eventually { [0, 1].find { |number| @lobby.try_pop(number) } }
      @lobby.answer("at last", seat: seat)
      assert_equal "at last", @lobby.read_response(waiting).last
    end
  end

  test "only a reader that holds a worker is cut off while uploads fill the disk" do
    play(seats: 2, buffer_disk_limit: 20_000_000, response_buffer: 300_000)
    begin_upload(19_900_000)
    reader, holds_a_worker = Array.new(2) { |seat| open_response(seat) }
    bytes = fill_until_stalled(100_000)
    @lobby.finish
    @lobby.await_counter(:answered, 1)
    fill_until_stalled(kept + 300_000, seat: 1)
    @lobby.connect(GET) # this request waits
    @lobby.await_counter(:slow_readers, 1)
    assert_equal :reset, @lobby.read_all(holds_a_worker)
    assert_equal 1, @lobby.counter(:slow_readers)
    assert_equal bytes, @lobby.read_all(reader).split("\r\n\r\n", 2).last.bytesize
  end

  private

  # A worker with an answer of which the lobby can keep only a part.
  def assert_waits_for_its_client
    client = @lobby.connect(GET, receive_buffer: 4096)
    @lobby.pop
    @lobby.head(LARGE)
    filled = Thread.new { @lobby.tell("fill 0 #{LARGE}") }
    assert_equal LARGE, @lobby.read_response(client).last.bytesize
    BoundedWait.value_of(filled)
    @lobby.finish
    @lobby.await_counter(:answered, 1)
  end

  # Of a client that does not read yet.
  def open_response(seat)
    client = @lobby.connect(GET, receive_buffer: 4096)
    @lobby.pop(seat)
    @lobby.record(Coppice::LobbyPlay::HEAD, "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n", seat: seat, status: 200)
    client
  end

  # A body of which so many bytes came, and one is missing. All but the last of them are in the file.
  def begin_upload(bytes)
    head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: #{bytes + 1}\r\n\r\n"
    @lobby.connect(head + ("b" * bytes))
    @lobby.await_counter(:bytes_in, head.bytesize + bytes)
  end

  # Until the lobby keeps `limit` bytes, and leaves what comes behind them in the ring. Answers how many bytes that are.
  def fill_until_stalled(limit, seat: 0)
    bytes = 0
    loop do
      enough = kept >= limit
      @lobby.tell("fill #{seat} 50000")
      @lobby.publish(seat)
      bytes += 50_000
      return bytes if enough

      eventually { kept >= limit || @lobby.counter(:bytes_out) + kept >= bytes }
    end
  end

  def kept = @lobby.counter(:buffered_bytes)
end
