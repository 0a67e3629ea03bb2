# frozen_string_literal: true

require "support/lobby_test_case"
require "coppice/cli/warnings"

# How the lobby reads the bodies of requests (ext/coppice/lobby/client/body.c).
class LobbyBodiesTest < Coppice::LobbyTestCase
  LARGE = Random.new(7).bytes(1_000_000)
  SUM = LARGE.each_byte.inject(0) { |sum, byte| ((sum * 31) + byte) & ((2**64) - 1) } # as the C program computes it

  test "a body that comes with its head is in the slot" do
    play
    client = @lobby.connect(post("hello"))
    assert_taken("hello")
    @lobby.answer("thanks")
    assert_equal "thanks", @lobby.read_response(client).last
    assert_served(client)
  end

  test "a body that comes byte by byte is one" do
    play
    client = @lobby.connect
    trickle(client, post("hello"))
    assert_taken("hello")
  end

  test "chunks are decoded, however they come" do
    play
    request = "#{chunked_head}5;a=b\r\nhello\r\n1\r\n \r\n5\r\nworld\r\n0\r\nA: b\r\n\r\n"
    client = @lobby.connect(request)
    assert_taken("hello world")
    @lobby.answer("")
    assert @lobby.read_response(client)
    trickle(client, request, @lobby.counter(:bytes_in))
    assert_taken("hello world")
    @lobby.answer("")
    assert @lobby.read_response(client)
    assert_served(client)
  end

  test "requests behind bodies follow" do
    play
    chunked = "#{chunked_head}3\r\nabc\r\n0\r\n\r\n"
    client = @lobby.connect([post("one"), chunked, post("two"), Coppice::LobbyTestCase::GET].join)
    ["one", "abc", "two", ""].each do |body|
      assert_taken(body)
      @lobby.answer("")
      assert @lobby.read_response(client)
    end
  end

  test "a body that just fits is in the slot" do
    play
    body = LARGE[0, 120_000]
    client = @lobby.connect(post(body)[0, 50_000])
    @lobby.await_counter(:bytes_in, 50_000)
    client.write(post(body)[50_000..])
    taken = @lobby.pop
    refute_predicate taken, :body_in_file?
    assert_equal body, taken.bytes[-body.bytesize..]
  end

  test "a large body is a file, which goes away after the answer" do
    play
    chunks = LARGE.scan(/.{1,7000}/mn).map { |part| chunk(part) }.join
    [post(LARGE), "#{chunked_head}#{chunks}0\r\n\r\n"].each do |bytes|
      client = @lobby.connect
      sender = Thread.new { client.write(bytes + Coppice::LobbyTestCase::GET) }
      taken = @lobby.pop
      BoundedWait.value_of(sender)
      assert_predicate taken, :body_in_file?
      assert_equal LARGE.bytesize, taken.body_length
      assert_equal LARGE.bytesize, @lobby.counter(:file_bytes)
      assert_equal "#{LARGE.bytesize} #{SUM}", body_file
      assert_equal LARGE.bytesize, @lobby.counter(:file_bytes)
      @lobby.answer("")
      assert @lobby.read_response(client)
      assert_equal "/hello", @lobby.pop.target
      @lobby.answer("")
      assert @lobby.read_response(client)
    end
    assert_all_released
  end

  test "the worker alone has the file of a body, unless another one may get the request" do
    play
    { "POST" => Coppice::LobbyPlay::GONE, "GET" => Coppice::LobbyPlay::BODY }.each do |method, packet|
      client = @lobby.connect
      sender = Thread.new { client.write(post(LARGE).sub("POST", method)) }
      assert_predicate @lobby.pop, :body_in_file?
      BoundedWait.value_of(sender)
      assert_equal "#{LARGE.bytesize} #{SUM}", body_file
      @lobby.tell("ask 0 #{Coppice::LobbyPlay::ASK_BODY}")
      assert_match(/\A#{packet} /, @lobby.tell("take 0"))
      @lobby.answer("")
      assert @lobby.read_response(client)
    end
    assert_all_released
  end

  test "uploads that come at once are read in turn, and a client that leaves does not stop the others" do
    play
    clients = Array.new(3) { @lobby.connect }
    senders = clients.map { |client| Thread.new { client.write(post(LARGE)[0..-2]) } }
    senders.each { |sender| BoundedWait.value_of(sender) }
    @lobby.await_counter(:bytes_in, 3 * (post(LARGE).bytesize - 1))
    @lobby.reset(clients.shift)
    clients.reverse_each do |client|
      client.write(LARGE[-1])
      @lobby.pop
      assert_equal "#{LARGE.bytesize} #{SUM}", body_file
      @lobby.answer("")
      assert @lobby.read_response(client)
    end
    assert_all_released
  end

  test "a client that leaves in the middle of its body leaves nothing" do
    play
    client = @lobby.connect(post(LARGE)[0, 500_000])
    @lobby.await_counter(:bytes_in, 500_000)
    @lobby.reset(client)
    @lobby.await_counter(:connections, 0)
    assert_all_released
  end

  test "refuses a body that is too large" do
    play(max_body_bytes: 1000)
    assert_refused(413, @lobby.connect(post("a" * 1001)))
    client = @lobby.connect(post("a" * 1001)[0, 100]) # before it was sent
    assert_refused(413, client)
    assert_refused(413, @lobby.connect("#{chunked_head}#{chunk("a" * 600)}#{chunk("b" * 600)}"))
    assert_equal 3, @lobby.counter(:refused_413)
    @lobby.connect(post("a" * 1000))
    assert_taken("a" * 1000)
  end

  test "refuses chunks that are malformed" do
    play
    assert_refused(400, @lobby.connect("#{chunked_head}5\nhello"))
    assert_refused(431, @lobby.connect("#{chunked_head}0\r\n#{"A: b\r\n" * 65}\r\n"))
  end

  test "refuses a body that stalls" do
    play(client_body_timeout_ms: 300)
    assert_refused(408, @lobby.connect(post("hello")[0..-2]))
    assert_equal 1, @lobby.counter(:refused_408)
  end

  test "refuses a body that comes too slowly" do
    play(client_body_timeout_ms: 400, client_min_rate: 1_000_000)
    client = @lobby.connect(post("a" * 100_000)[0..-100_001])
    eventually { client.wait_readable(0) || (client.write("a") && nil) }
    assert_refused(408, client)
  end

  test "a client that waits for it is told to go on" do
    play
    client = @lobby.connect("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
    assert_equal "HTTP/1.1 100 Continue\r\n\r\n", @lobby.read_response(client, head_only: true).first
    client.write("hello")
    assert_taken("hello")
  end

  test "without buffering the worker gets the head, and the client when it asks" do
    play(request_buffering: 0)
    client = @lobby.connect("#{post("hello world")[0..-7]}")
    taken = @lobby.pop
    assert_predicate taken, :unbuffered?
    assert_equal [11, "hello"], [taken.body_length, taken.body]
    @lobby.tell("ask 0 #{Coppice::LobbyPlay::ASK_CLIENT}")
    assert_equal "#{Coppice::LobbyPlay::CLIENT} 1 ", @lobby.tell("take 0")
    assert_equal "2", @lobby.tell("write 0 #{"ok".unpack1("H*")}")
    @lobby.finish
    assert_equal "ok", @lobby.read_all(client)
    assert_all_released
  end

  test "bodies that find no room on disk are refused, and the log tells it once" do
    play(buffer_disk_limit: 200_000)
    2.times { refuse_upload(@lobby.connect, chunked_head + chunk(LARGE)) }
    @lobby.await_counter(:file_bytes, 0)
    assert_match(/ error no room for a large body or answer: buffer_disk_limit is used up$/, @lobby.tell("await log"))
    assert_no_more_logged
  end

  test "a body that is larger than the disk limit is refused before it is sent" do
    play(buffer_disk_limit: 200_000)
    head = "POST /post HTTP/1.1\r\nHost: a\r\nContent-Length: 200001\r\nExpect: 100-continue\r\n\r\n"
    2.times { assert_refused(507, @lobby.connect(head)) }
    assert_no_more_logged # as of a body over max_body_bytes: any client could fill the log
  end

  test "without room on disk a body that fits into a slot is taken" do
    play(buffer_disk_limit: 0)
    body = LARGE[0, Coppice::CLI::Warnings::MEMORY_BYTES]
    client = @lobby.connect(post(body)[0, 50_000])
    @lobby.await_counter(:bytes_in, 50_000)
    client.write(post(body)[50_000..])
    assert_equal body, @lobby.pop.bytes[-body.bytesize..]
    assert_refused(507, @lobby.connect(post(LARGE)[0, 50_000]))
  end

  test "a body that finds the disk full is refused, and the log tells why" do
    play(file_bytes: 8 << 20)
    refuse_upload(@lobby.connect, chunked_head + chunk("b" * (9 << 20)))
    assert_match(/ error no room for a large body or answer: File too large$/, @lobby.tell("await log"))
  end

  test "an idle connection is closed for a body's file when no descriptor is left" do
    idle, client = take_all_descriptors
    assert_served(idle)
    sender = Thread.new { client.write(post(LARGE)) }
    assert_predicate @lobby.pop, :body_in_file?
    BoundedWait.value_of(sender)
    assert_equal "#{LARGE.bytesize} #{SUM}", body_file
    assert_equal ["", 1], [@lobby.read_all(idle), @lobby.counter(:evicted)]
  end

  test "bodies that find no file as no descriptor is left are refused, and the log tells it once" do
    clients = take_all_descriptors
    refuse_upload(clients[0], post(LARGE)[0, 200_000])
    assert_match(/ error no file for .*: Too many open files: raise the limit /, @lobby.tell("await log"))
    exchange_for_another(clients[0])
    refuse_upload(clients[1], post(LARGE)[0, 200_000])
    assert_no_more_logged
  end

  test "the log tells of a lack of room on disk soon after one of descriptors" do
    clients = take_all_descriptors(buffer_disk_limit: 200_000)
    refuse_upload(clients[0], chunked_head + chunk(LARGE))
    assert_match(/ error no file for /, @lobby.tell("await log"))
    close(clients[1])
    refuse_upload(clients[2], chunked_head + chunk(LARGE))
    assert_match(/ error no room for /, @lobby.tell("await log"))
  end

  private

  def post(body) = "POST /post HTTP/1.1\r\nHost: a\r\nContent-Length: #{body.bytesize}\r\n\r\n".b + body
  def chunked_head = "POST /post HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n".b
  def chunk(body) = "#{body.bytesize.to_s(16)}\r\n".b + body + "\r\n"

  def trickle(client, bytes, before = 0)
    bytes.each_char.with_index(before + 1) do |byte, count|
      client.write(byte)
      @lobby.await_counter(:bytes_in, count)
    end
  end

  def assert_taken(body)
    taken = @lobby.pop
    assert_equal [body.bytesize, body], [taken.body_length, taken.body.to_s]
  end

  # Clients that have connected, and of which none is idle.
  def take_all_descriptors(**settings)
    play(descriptors: 32, **settings)
    clients = Array.new(40) { @lobby.connect }
    assert_match(/ 503 /, @lobby.read_all(clients.last))
    clients
  end

  def refuse_upload(client, bytes)
    sender = Thread.new do
      client.write(bytes)
    rescue Errno::EPIPE, Errno::ECONNRESET
      nil
    end
    assert_refused(507, client)
    BoundedWait.value_of(sender)
  end

  # Its place is taken by one that has sent nothing.
  def exchange_for_another(client)
    accepted = @lobby.counter(:accepted)
    close(client)
    @lobby.connect
    @lobby.await_counter(:accepted, accepted + 1)
  end

  def close(client)
    connections = @lobby.counter(:connections)
    client.close
    @lobby.await_counter(:connections, connections - 1)
  end

  def body_file
    @lobby.tell("ask 0 #{Coppice::LobbyPlay::ASK_BODY}")
    assert_equal "#{Coppice::LobbyPlay::BODY} 1 ", @lobby.tell("take 0")
    @lobby.tell("content 0")
  end
end
