# frozen_string_literal: true

require "support/lobby_test_case"
require "support/process_memory"

# The lobby's beginning and end, and deaths of its loop.
class LobbyLifecycleTest < Coppice::LobbyTestCase
  POST = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n"

  test "accepts nobody before it is told to" do
    play(accept: false)
    client = @lobby.connect(GET)
    assert_nil client.wait_readable(0.2)
    assert_equal 0, @lobby.counter(:accepted)
    @lobby.tell("tell accept")
    @lobby.pop
    @lobby.answer("now")
    assert_equal "now", @lobby.read_response(client).last
  end

  test "a server that will stop keeps no connections" do
    play
    client = @lobby.connect
    assert_served(client)
    @lobby.tell("tell closing")
    client.write(GET)
    refute_predicate @lobby.pop, :keep? # the queue is told in the same step
    @lobby.answer("last", keep: false)
    assert_match(/last\z/, @lobby.read_all(client))
  end

  test "draining serves what came, closes who is idle, and ends" do
    play
    idle = @lobby.connect
    assert_served(idle)
    busy = @lobby.connect(GET)
    @lobby.pop
    silent = @lobby.connect
    @lobby.await_counter(:accepted, 3)
    @lobby.tell("tell drain")
    assert_equal "", @lobby.read_all(idle)
    assert_equal "", @lobby.read_all(silent)
    @lobby.answer("still served")
    assert_equal "still served", @lobby.read_response(busy).last
    assert_equal "", @lobby.read_all(busy)
    assert_equal "drained", @lobby.tell("await drained")
    assert_equal "end", @lobby.tell("await nothing")
  end

  test "who had connected before the server drains is served" do
    play
    stop_loop
    clients = Array.new(3) { @lobby.connect(GET) }
    @lobby.tell("tell drain")
    Process.kill(:CONT, loop_pid)
    clients.each do
      @lobby.pop
      @lobby.answer("served", keep: false)
    end
    clients.each { |client| assert_match(/served\z/, @lobby.read_all(client)) }
  end

  test "a listener that is another's is left to the next server" do
    play(listener: "0 proxy_protocol 0 https 0 borrowed 1")
    stop_loop
    @lobby.tell("tell drain")
    @lobby.connect(GET)
    Process.kill(:CONT, loop_pid)
    assert_equal "drained", @lobby.tell("await drained")
    assert_equal 0, @lobby.counter(:requests)
  end

  test "a request that comes while the server drains is served" do
    play
    client = @lobby.connect
    assert_served(client)
    stop_loop # else it may close the connection before this client runs again
    @lobby.tell("tell drain")
    client.write(GET)
    Process.kill(:CONT, loop_pid)
    @lobby.pop
    @lobby.answer("last")
    assert_match(/last\z/, @lobby.read_all(client))
  end

  test "no signal that was sent to all processes of a server ends or stops it" do
    play
    client = @lobby.connect
    faults = %w[ILL TRAP ABRT BUS FPE SEGV SYS].map { |name| Signal.list.fetch(name) }
    unstoppable = %w[KILL STOP].map { |name| Signal.list.fetch(name) }
    former = [loop_pid, keeper_pid]
    ((1..31).to_a - faults - unstoppable).each { |number| Process.kill(number, *former) }
    assert_served(client)
    kill_loop(settled: true)
    assert_served(client)
    assert_equal [1, former.last], [@lobby.counter(:takeovers), keeper_pid]
  end

  test "stop ends it at once" do
    play
    client = @lobby.connect(GET)
    @lobby.pop
    @lobby.tell("tell stop")
    assert_includes ["", :reset], @lobby.read_all(client)
  end

  test "the death of the loop costs no idle connection" do
    play
    clients = Array.new(10) { @lobby.connect }
    clients.each { |client| assert_served(client) }
    kill_loop
    clients.each { |client| assert_served(client) }
    assert_equal 1, @lobby.counter(:takeovers)
    @lobby.await_counter(:connections, 10)
  end

  test "a client that has become a worker's as the loop died stays the worker's" do
    play(program: Coppice::LobbyPlay::DYING_LOOP)
    client = @lobby.connect("#{GET}ahead")
    @lobby.pop
    @lobby.head(2)
    @lobby.tell("ask 0 #{Coppice::LobbyPlay::ASK_CLIENT}")
    assert_equal "#{Coppice::LobbyPlay::CLIENT} 1 #{"ahead".unpack1("H*")}", @lobby.tell("take 0")
    assert_equal "ready", @lobby.tell("await ready")
    @lobby.finish(flags: 0)
    @lobby.await_counter(:answered, 1)
    assert_match(/\r\n\r\n\z/, @lobby.read_some(client, 1000))
    assert_equal "2", @lobby.tell("write 0 #{"ok".unpack1("H*")}")
    assert_equal "ok", @lobby.read_some(client, 2)
    assert_all_released
  end

  test "the death of the loop costs no socket that does not listen yet" do
    [false, true].each do |unix|
      play(seats: 0, listening: false, unix: unix)
      kill_loop(settled: true)
      @lobby.seat(0)
      @lobby.listen
      assert_served(@lobby.connect)
      assert_equal 0, @lobby.quit
    end
    @lobby = nil
  end

  test "bytes that came while there was no loop are read" do
    play
    client = @lobby.connect
    assert_served(client)
    stop_loop
    client.write(GET)
    kill_loop(settled: true)
    assert_equal GET, @lobby.pop.bytes
    @lobby.answer("read by the next")
    assert_equal "read by the next", @lobby.read_response(client).last
  end

  test "requests in every state outlive the loop" do
    play(seats: 2)
    partial = @lobby.connect(GET[0, 10])
    body = @lobby.connect("#{POST}01234")
    @lobby.await_counter(:bytes_in, 10 + POST.bytesize + 5)
    served = @lobby.connect(GET)
    @lobby.pop(0)
    queued = @lobby.connect("GET /queued HTTP/1.1\r\nHost: a\r\n\r\n")
    @lobby.await_counter(:requests, 2)
    kill_loop
    @lobby.answer("served", seat: 0)
    assert_equal "served", @lobby.read_response(served).last
    assert_equal "/queued", @lobby.pop(1).target
    @lobby.answer("queued", seat: 1)
    assert_equal "queued", @lobby.read_response(queued).last
    partial.write(GET[10..])
    assert_equal GET, @lobby.pop(1).bytes
    @lobby.answer("partial", seat: 1)
    assert_equal "partial", @lobby.read_response(partial).last
    body.write("56789")
    assert_equal "0123456789", @lobby.pop(0).body
    @lobby.answer("body")
    assert_equal "body", @lobby.read_response(body).last
    assert_all_released
  end

  test "an answer that waits for its client outlives the loop" do
    play
    client = answer_slow_reader
    kill_loop
    body = @lobby.read_response(client).last
    assert_equal 10_000_000, body.bytesize
    assert_equal (("a".."w").to_a.join * 434_783)[0, 10_000_000], body
    answer_slow_reader.close # the disk has room for this one as well
    @lobby.await_counter(:connections, 1)
    assert_all_released
  end

  test "a worker whose answer was written while there was no loop is heard" do
    play
    client = @lobby.connect(GET)
    @lobby.pop
    stop_loop
    @lobby.answer("in between")
    kill_loop(settled: true)
    assert_equal "in between", @lobby.read_response(client).last
    assert_served(client)
  end

  test "loops die again and again" do
    play
    client = @lobby.connect
    3.times do |number|
      assert_served(client)
      kill_loop
      assert_equal number + 1, @lobby.counter(:takeovers)
    end
    assert_served(client)
  end

  test "a keeper that could not be made is made later" do
    play
    settle
    limit_descriptors(3) # not one more
    Process.kill(:KILL, keeper_pid)
    assert_match(/cannot make a keeper/, @lobby.tell("await log error"))
    limit_descriptors(1024)
    assert_match(/\Aregistered keeper/, @lobby.tell("await registered keeper"))
    client = @lobby.connect
    assert_served(client)
    kill_loop
    assert_served(client)
  end

  test "connections that never were take no memory" do
    play(max_connections: 200_000) # 25 MiB of records, and 8 MiB to count them by client
    clients = Array.new(20) { @lobby.connect }
    clients.each { |client| assert_served(client) }
    assert_operator ProcessMemory.shared_kib(loop_pid), :<, 4096
    kill_loop
    clients.each { |client| assert_served(client) }
  end

  test "a client's connections are counted anew when the loop was lost" do
    play(max_connections_per_client: 2)
    kept = @lobby.connect
    assert_served(kept)
    kill_loop
    other = @lobby.connect
    [kept, other].each { |client| assert_served(client) }
    assert_refused(503, refused = @lobby.connect)
    [kept, refused].each(&:close)
    @lobby.await_counter(:connections, 1)
    assert_served(@lobby.connect)
  end

  test "a wrong setting is refused" do
    error = assert_raises(RuntimeError) { Coppice::LobbyPlay.new(unheard_of: 1) }
    assert_match(/a setting of the lobby is wrong: unheard_of/, error.message)
  end

  private

  def keeper_pid = Integer(@lobby.tell("keeper_pid"))

  def stop_loop
    settle
    Process.kill(:STOP, loop_pid)
  end

  # The worker does not wait for it.
  def answer_slow_reader
    answered = @lobby.counter(:answered)
    client = @lobby.connect(GET, receive_buffer: 4096)
    @lobby.answer_large(10_000_000)
    @lobby.await_counter(:answered, answered + 1)
    client
  end

  def kill_loop(settled: false)
    settle unless settled
    Process.kill(:KILL, loop_pid)
    assert_equal "ready", @lobby.tell("await ready")
  end
end
