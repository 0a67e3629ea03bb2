# frozen_string_literal: true

# lane: soak -- many servers; test/unit/http/access_lines_test.rb shows the lines

require "json"
require "open3"
require "test_helper"
require_relative "../support/process_descriptors"
require_relative "../support/server_over_tcp"

# The access log of a real server: the lobby and the workers write the same lines, each of their own clients.
class ServerAccessLogTest < Coppice::TestCase
  APP = <<~'RUBY'
    run(lambda do |env|
      body = env["rack.input"]&.read.to_s
      raise "wanted" if env["PATH_INFO"] == "/error"

      [200, { "content-type" => "text/plain" }, [env["HTTP_X_REQUEST_ID"].to_s, body]]
    end)
  RUBY
  UUID = /\h{8}-\h{4}-4\h{3}-[89ab]\h{3}-\h{12}/
  REQUESTS = {
    plain: "GET /a?secret=1 HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n",
    named: "GET /b HTTP/1.1\r\nHost: test\r\nX-Request-Id: given\r\nConnection: close\r\n\r\n",
    hostile: "GET /c HTTP/1.1\r\nHost: test\r\nX-Request-Id: a\" status=500 \xff\t\\\r\nConnection: close\r\n\r\n".b,
    body: "POST /d HTTP/1.1\r\nHost: test\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbody",
    error: "GET /error HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n",
    malformed: "GET /e HTTP/1.1\r\nHost : test\r\n\r\n"
  }.freeze

  def serve(format, config: "", &block)
    ServerOverTcp.open(app: APP, listen: { lobby: true },
      config: "listen \"\#{__dir__}/socket\"\nworker_processes 1\naccess_log #{format.inspect}, " \
              "\"\#{__dir__}/access\"\n#{config}", &block)
  end

  def answer(client, request)
    client.write(request)
    BoundedWait.read(client)
  ensure
    client.close
  end

  # Of the lobby, and of the worker. Each is to be done with before the next: the only worker waits for its own.
  def clients(server) = [-> { server.connect }, -> { UNIXSocket.new(server.path("socket")) }]

  # The answers to this request and their lines: as the lobby's client, then as the worker's.
  def both(server, request)
    clients(server).map do |connection|
      count = access(server).size + 1
      text = answer(connection.call, request)
      server.wait { (lines = access(server)).size == count && lines.last.end_with?("\n") }
      [text, access(server).last]
    end
  end

  def access(server, name = "access")
    File.exist?(server.path(name)) ? File.readlines(server.path(name)) : []
  end

  # Without what differs from request to request, or by the kind of the listener.
  def plain(line)
    line.sub(/time=\S+/, "time").sub(/client=\S+/, "client").sub(/ queue_ms=\d+\.\d{3}/, "")
        .sub(/application_ms=\d+\.\d{3}/, "application_ms").sub(UUID, "ID")
  end

  test "the lobby and a worker write equal lines" do
    serve(:text) do |server|
      REQUESTS.each do |name, request|
        lobby, worker = both(server, request).map(&:last)

        assert_includes lobby, "client=127.0.0.1 ", name
        assert_includes worker, "client=unix ", name
        assert_equal plain(lobby), plain(worker), name
      end
    end
  end

  test "both name the client that a trusted proxy names" do
    serve(:text) do |server|
      forwarded = REQUESTS[:plain].sub("Host", "X-Forwarded-For: 10.0.0.9, 192.0.2.1, 127.0.0.1\r\nHost")

      both(server, forwarded).each { |_answer, line| assert_includes line, " client=192.0.2.1 " }
    end
  end

  test "both write equal objects of JSON" do
    serve(:json) do |server|
      REQUESTS.each do |name, request|
        lobby, worker = both(server, request).map { |_answer, line| JSON.parse(line) }
        differ = %w[time client queue_ms application_ms request_id]

        assert_equal lobby.except(*differ), worker.except(*differ), name
        assert_equal lobby.keys - ["queue_ms"], worker.keys, name
      end
    end
  end

  test "the ID of a request is the client's, or made, and the application gets that of the log" do
    serve(:json) do |server|
      both(server, REQUESTS[:named]).each { |text, line| assert_equal ["given"] * 2, ids(text, line) }
      made = both(server, REQUESTS[:plain]).map { |text, line| ids(text, line) }

      made.each { |ids| assert_equal 1, ids.uniq.size, ids }
      made.flatten.each { |id| assert_match(/\A#{UUID}\z/, id) }
    end
  end

  def ids(text, line) = [text[/\r\n\r\n(.*)\z/m, 1], JSON.parse(line)["request_id"]]

  test "the line of a request that no worker took in time has the request" do
    serve(:json, config: "queue_timeout 0.2") do |server|
      UNIXSocket.open(server.path("socket")) do |occupant| # the only worker waits for its body
        occupant.write("POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 5\r\n\r\n")
        server.wait { server.ready_workers.first.started_ms.positive? }
        assert_match(/\AHTTP\/1.1 503 /, answer(server.connect, REQUESTS[:plain]))
      end
      line = server.wait { access(server).find { |one| one.match?(/"status":503.*\n/) } }

      assert_equal ["GET", "/a", 503, "no worker was free in time"],
        JSON.parse(line).values_at("method", "path", "status", "cause")
    end
  end

  test "a rotated file is left alone by both" do
    serve(:text) do |server|
      both(server, REQUESTS[:plain])
      File.rename(server.path("access"), server.path("access.1"))
      output, status = Open3.capture2e(Server::EXECUTABLE, "reopen-logs", "--pid", server.pid.to_s)
      assert status.success?, output
      server.wait { reopened?(server) }
      both(server, REQUESTS[:named])

      assert_equal [2, 2], [access(server, "access.1").size, access(server).size]
    end
  end

  test "a lobby and a worker that cannot open the file serve without it, until it can be opened anew" do
    serve(:text) do |server|
      Dir.mkdir(server.path("elsewhere"))
      File.rename(server.path("access"), server.path("elsewhere/access"))
      Dir.mkdir(server.path("access"))
      lose(server, [*server.parts_of_lobby.values, server.ready_workers.first.pid])
      answers = clients(server).map { |connection| answer(connection.call, REQUESTS[:plain]) }

      assert_equal %w[200 200], answers.map { |text| text[/ (\d{3}) /, 1] }
      server.wait { server.log.scan("could not open the access log: mend it").size == 2 }
      Dir.rmdir(server.path("access"))
      output, status = Open3.capture2e(Server::EXECUTABLE, "reopen-logs", "--pid", server.pid.to_s)
      assert status.success?, output
      server.wait { File.exist?(server.path("access")) && open_in_worker?(server) }

      assert_equal 2, both(server, REQUESTS[:named]).size
    end
  end

  # Until others have taken the place of these processes. Stopped first, none of the lobby makes the next one meanwhile.
  def lose(server, pids)
    %i[STOP KILL].each { |name| pids.each { |pid| server.signal(name, to: pid) } }
    server.wait { server.parts_of_lobby.size == 2 && server.all_ready? && (server.children(server.pid) & pids).empty? }
  end

  def open_in_worker?(server)
    ProcessDescriptors.links(server.ready_workers.first.pid).include?(server.path("access"))
  end

  # Nobody has the former file open.
  def reopened?(server)
    server.family.none? { |pid| ProcessDescriptors.links(pid).include?(server.path("access.1")) }
  end
end
