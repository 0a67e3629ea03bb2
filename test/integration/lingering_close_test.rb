# frozen_string_literal: true

# lane: soak -- clients that go on sending in real time

require "test_helper"
require_relative "../support/lobby_play"
require_relative "../support/raw_client"
require_relative "../support/server_over_tcp"

# A client that uploads with blocking writes reads the answer only when all is sent. A server that has answered before
# must let it finish: closing with unread bytes would make the kernel reset the connection, and the client lose the
# answer.
class LingeringCloseTest < Coppice::TestCase
  UPLOAD_BYTES = 32 * 1024 * 1024
  ANSWER_BYTES = 100_000

  # Answers at once, with more than fits into one packet. A worker waits for clients longer than any of these tests.
  APP = <<~RUBY.freeze
    Coppice::Worker::ClientLoop.class_eval do
      remove_const(:LINGER_MS)
      const_set(:LINGER_MS, 600_000)
    end
    run(lambda do |env|
      sleep if env["PATH_INFO"] == "/hang"
      [env["PATH_INFO"].delete_prefix("/").to_i, {}, ["x" * #{ANSWER_BYTES}]]
    end)
  RUBY

  # Whether the lobby meets the clients.
  def lobby? = true

  # Lobby and workers linger for longer than any of these tests takes.
  PATIENT = <<~RUBY.freeze
    require "coppice/monitor/lobby/lobby_spawner"
    def (Coppice::Monitor::LobbySpawner).executable = #{Coppice::LobbyPlay::LOOP.path.inspect}
    after_mold_fork do |_server, _mold|
      Coppice::Worker::ClientLoop.send(:remove_const, :LINGER_MS)
      Coppice::Worker::ClientLoop::LINGER_MS = 600_000
    end
  RUBY

  def serve(config, &block)
    ServerOverTcp.open(app: APP, config: "#{config}\n#{PATIENT}", listen: { lobby: lobby? }, &block)
  end

  # The answer to a client that sends this head, and then a large body.
  def answer_to(head, config)
    serve(config) do |server|
      RawClient.on(server.connect) do |client|
        client.write(head)
        upload(client)
        client.answer
      end
    end
  end

  def upload(client)
    piece = "x" * 65_536
    (UPLOAD_BYTES / piece.bytesize).times { client.write(piece) }
  end

  BAD_HEAD = "POST / HTTP/1.1\r\nBad header: x\r\n\r\n"

  def post(path) = "POST #{path} HTTP/1.1\r\nHost: x\r\nContent-Length: #{UPLOAD_BYTES}\r\n\r\n"

  test "a client that is still sending gets every answer of an application that reads nothing" do
    [200, 413].each do |status|
      answer = answer_to(post("/#{status}"), "rewindable_input false")

      assert_equal [status, ANSWER_BYTES], [answer.status, answer.body.bytesize]
    end
  end

  test "a client that is still sending learns that its head is refused" do
    assert_equal 400, answer_to(BAD_HEAD, "").status
  end

  test "a client that is still sending learns that its content-length is too large" do
    assert_equal 413, answer_to(post("/200"), "max_body_bytes 1000").status
  end

  test "a client that is still sending learns that its body is too large" do
    head = "POST /200 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n#{UPLOAD_BYTES.to_s(16)}\r\n"

    assert_equal 413, answer_to(head, "max_body_bytes 1000").status
  end

  test "a client that is still sending gets the answer of a soft timeout" do
    answer = answer_to(post("/hang"), "rewindable_input false\ntimeout 0.5, cleanup: 60")

    # The lobby answers in the place of a worker that gets no processor for a second.
    assert_includes lobby? ? [503, 504] : [503], answer.status
  end

  test "a client that is still sending gets the answer of a worker that exits meanwhile" do
    serve("rewindable_input false") do |server|
      RawClient.on(server.connect) do |client|
        client.write(post("/200"))
        server.wait { server.ready_workers.first.requests == 1 }
        server.signal(:TERM)
        server.wait { server.rows(:worker).all? { |row| row.deadline_ms.positive? } } # it exits, or has
        upload(client)

        assert_equal [200, ANSWER_BYTES], client.answer.then { |answer| [answer.status, answer.body.bytesize] }
      end
      assert_equal 0, server.wait_for_end.exitstatus
    end
  end

  test "no other client waits for clients that stay" do
    serve("worker_processes 1") do |server|
      refused = Array.new(8) { server.connect.tap { |client| client.write(BAD_HEAD) } }
      answers = refused.map { |client| client.read[/\d{3}/] }

      assert_equal ["400"] * 8 << 200, answers << server.get("/200").status
      assert_equal [1] * 8, refused.map { |client| client.write("x") } # else a broken pipe: it is closed
    ensure
      refused.each(&:close)
    end
  end

  test "lingering does not count as the application's time" do
    serve("worker_processes 1\nrewindable_input false\ntimeout 60") do |server|
      RawClient.on(server.connect) do |stays|
        stays.write(post("/200"))
        assert_equal 200, stays.answer.status
        server.wait { server.ready_workers.first.deadline_ms.zero? } # less than it lingers

        assert_equal 200, server.get("/200").status
      end
    end
  end
end

# The same where workers meet the clients themselves.
class DirectLingeringCloseTest < LingeringCloseTest
  def lobby? = false
end
