# frozen_string_literal: true

require_relative "../../test_helper"
require "fileutils"
require "tempfile"
require "coppice"
require "coppice/board"
require_relative "../../support/http_harness"

module Coppice
  # What a worker writes into its ring for a request that came through its seat, and what the application is told.
  class LobbyExchangeTest < TestCase
    GET = "GET /a?b HTTP/1.1\r\nHost: a\r\n\r\n"
    OLD = "GET / HTTP/1.0\r\n\r\n"
    POST = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n"

    def setup
      super
      @lobby = TestLobby.new
    end

    def teardown
      @lobby.close
      super
    end

    test "a small answer is one head record and an end" do
      records = serve(GET) { |env| [200, {}, [env["PATH_INFO"], env["QUERY_STRING"]]] }

      assert_equal %i[head end], records.map(&:type)
      assert_equal [200, "/ab", true], [records[0].status, body_of(records[0]), records[1].whole?]
      assert_equal [records[0].serial], records.map(&:serial).uniq
    end

    test "several answers fit into a ring that was read to its end, whether it is begun again or not" do
      sizes = [17_000, 30_000, 60_000]
      [20_000, 150_000].each do |first|
        serve(GET) { [200, {}, ["x" * first]] }
        sizes.each { |bytes| answer(GET) { [200, {}, ["x" * bytes]] } }
        heads, ends = @lobby.read_records.partition { |record| record.type == :head }

        assert_equal [:end] * 3, ends.map(&:type)
        assert_equal sizes, heads.map { |head| body_of(head).bytesize }
      end
    end

    test "a connection is kept where lobby, framing, application and client allow it" do
      close = "connection: close"
      expected = {
        [[200, {}, ["a"]], GET] => [true, nil], [[200, {}, ["a"]], OLD] => [true, "connection: keep-alive"],
        [[204, {}, []], GET] => [true, nil], [[200, {}, Each.new("a")], GET] => [true, nil],
        [[200, { "connection" => "close" }, ["a"]], GET] => [false, close],
        [[200, {}, Each.new("a")], OLD] => [false, close],
        [[200, { "transfer-encoding" => "chunked" }, Each.new("0\r\n\r\n")], GET] => [false, close],
        [nil, GET] => [false, close]
      }
      expected.each do |(answer, request), wanted|
        head = serve(request, flags: [:keep]) { answer }.first
        assert_equal wanted, [head.keep?, head.payload[/^connection: [^\r]*/]], answer.inspect
      end
    end

    test "a connection that the lobby wants to close, or a lobby that closes, keeps none" do
      refute_predicate serve(GET) { [200, {}, []] }.first, :keep?
      @lobby.memory.closing = true
      head = serve(GET, flags: [:keep]) { [200, {}, []] }.first

      refute_predicate head, :keep?
      assert_match(/^connection: close\r$/, head.payload)
    end

    test "each request ends once, however its answer ends" do
      ends = {
        ->(_) { [200, {}, Each.new("a")] } => [true, false],
        ->(_) { [200, { "content-length" => "5" }, ["a"]] } => [false, false],
        ->(_) { [200, {}, Each.new("a") { raise "broken" }] } => [false, false],
        ->(_) { throw :left } => [false, false]
      }
      ends.each do |app, flags|
        records = nil
        catch(:left) { records = serve(GET, &app) }
        last = (records || @lobby.read_records).select { |record| record.type == :end }
        assert_equal [flags], last.map { |record| [record.whole?, record.reset?] }
        refute @lobby.seat.pop_into(HttpHarness.new(lobby: false).connection)
      end
    end

    test "a body that only the connection's end would end is reset when it is cut" do
      records = serve(OLD) { [200, {}, Each.new("a") { raise "broken" }] }

      assert_predicate records.last, :reset?
    end

    test "each piece of a streamed answer is there when it is written" do
      seen = []
      body = Each.new("one", "two") { seen << @lobby.read_records.map(&:type) }
      serve(GET) { [200, { "content-length" => "6" }, body] }

      assert_equal [%i[head data]], seen
    end

    test "a file is passed on, and its bytes are not" do
      content = Tempfile.create("coppice-test") { |file| file.tap { file.write("x" * 100_000) }.then { copy_of(file) } }
      content.define_singleton_method(:each) { raise "the lobby is to send it" }
      records = serve(GET, flags: [:keep]) { [200, {}, content] }
      type, serial, passed = @lobby.receive_packet

      assert_equal %i[head file end], records.map(&:type)
      assert_equal [TestLobby::FILE, records[0].serial, [0, 100_000]], [type, serial, records[1].payload.unpack("QQ")]
      assert_equal "x" * 100_000, passed.pread(200_000, 0)
      assert_predicate records[0], :keep?
    ensure
      passed&.close
      content && File.unlink(content.to_path)
    end

    test "early hints come before the head" do
      records = serve(GET, early_hints: true) do |env|
        env["rack.early_hints"].call("link" => "</a>")
        [200, {}, []]
      end

      assert_equal %i[hints head end], records.map(&:type)
      assert_equal "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n", records[0].payload
    end

    test "a request with more headers than the worker's release allows is served, since the lobby has let it pass" do
      harness = HttpHarness.new(lobby: false, max_header_count: 2) { |env| [200, {}, [env["HTTP_B9"].to_s]] }
      [9, 5, 9].each do |count|
        fields = Array.new(count) { |number| "B#{number + 1}: #{number}\r\n" }
        records = serve("GET / HTTP/1.1\r\nHost: a\r\n#{fields.join}\r\n", harness: harness)

        assert_equal [200, count == 9 ? "8" : ""], [records[0].status, body_of(records[0])]
      end
    end

    test "the lobby's request id is for a client that sent none" do
      seen = []
      app = ->(env) { seen << env["HTTP_X_REQUEST_ID"] and [200, {}, []] }
      serve(GET, request_id: "0123456789abcdef", &app)
      serve(GET.sub("\r\n\r\n", "\r\nX-Request-Id: mine\r\n\r\n"), &app)

      assert_equal %w[0123456789abcdef mine], seen
    end

    test "the addresses are those that the lobby tells" do
      seen = nil
      serve(OLD, client: "2001:db8::1", server: ["192.0.2.1", 8080]) do |env|
        seen = env.values_at("REMOTE_ADDR", "SERVER_NAME", "SERVER_PORT")
        [200, {}, []]
      end

      assert_equal ["2001:db8::1", "192.0.2.1", "8080"], seen
    end

    test "a request has waited since it was complete, or since a trusted proxy had it, but not while it was read" do
      now_us = Process.clock_gettime(Process::CLOCK_MONOTONIC, :microsecond)
      start = Time.now.to_f - 20
      proxied = GET.sub("\r\n\r\n", "\r\nX-Request-Start: t=#{start}\r\n\r\n")
      uploaded = { arrived_us: now_us - 13_000_000 } # until it was complete, 8 s later
      cases = [[GET, {}], [proxied, {}], [proxied, { client: "203.0.113.1" }], [GET, uploaded], [proxied, uploaded]]
      waited = cases.map { |request, options| queue_seconds(request, queued_us: now_us - 5_000_000, **options) }

      passed = (Process.clock_gettime(Process::CLOCK_MONOTONIC, :microsecond) - now_us) / 1_000_000.0
      waited.zip([5, 20, 5, 5, 12]) { |seconds, least| assert_includes (least - 0.5)..(least + passed + 0.5), seconds }
    end

    test "a body in a file becomes the input, at its start and rewindable" do
      seen = nil
      Tempfile.create("coppice-body", binmode: true) do |file|
        file.write("hello")
        file.flush
        during(POST, body_length: 5, flags: [:body_file]) do |serial|
          assert_equal [TestLobby::ASK_BODY, serial], @lobby.receive_packet.first(2)
          @lobby.send_packet(TestLobby::BODY, serial - 1, file) # to an earlier request, which nobody waits for
          @lobby.send_packet(TestLobby::BODY, serial, file)
        end.call do |env|
          input = env["rack.input"]
          seen = [input.class, input.read, input.rewind, input.read]
          [200, {}, []]
        end
      end

      assert_equal [Http::InputFile, "hello", 0, "hello"], seen
    end

    test "a client whose body is gone is no error, and its request ends" do
      harness = HttpHarness.new(lobby: false) { flunk }
      records = during(POST, body_length: 5, flags: [:body_file], harness: harness) do |serial|
        @lobby.receive_packet
        @lobby.send_packet(TestLobby::GONE, serial)
      end.call

      assert_equal [[:end], false], [records.map(&:type), records[0].whole?]
      assert_empty harness.log.at(:error)
    end

    test "a client that has left is noticed, by a question and by the next write" do
      seen = nil
      records = serve(GET) do |env|
        slot = @slot
        [200, {}, Each.new("a") do
          @lobby.memory.client_gone(slot)
          seen = env["rack.hijack"].instance_variable_get(:@connection).peer_gone?
        end.more("b")]
      end

      assert_equal [true, %i[head end]], [seen, records.map(&:type)]
      refute_predicate records.last, :whole?
    end

    private

    # A body that calls a block between its first pieces and those of `more`.
    class Each
      def initialize(*pieces, &between)
        @pieces = pieces
        @between = between
        @more = []
      end

      def more(*pieces) = tap { @more = pieces }

      def each(&block)
        @pieces.each(&block)
        @between&.call
        @more.each(&block)
      end
    end

    def body_of(record) = record.payload[/\r\n\r\n(.*)/m, 1]

    # The records of the answer.
    def serve(request, **options, &app)
      answer(request, **options, &app)
      @lobby.read_records
    end

    def answer(request, early_hints: false, harness: nil, **options, &app)
      harness ||= HttpHarness.new(lobby: false, early_hints: early_hints, &app)
      @slot, _, @serial = @lobby.push(request, **options)
      assert @lobby.seat.pop_into(harness.connection)
      harness.exchange.serve
    end

    # Serves a request while a thread runs the block, which gets the request's serial.
    def during(request, harness: nil, **options, &lobby)
      lambda do |&app|
        harness ||= HttpHarness.new(lobby: false, &app)
        _, _, serial = @lobby.push(request, **options)
        answering = Thread.new { lobby.call(serial) }
        @lobby.seat.pop_into(harness.connection)
        harness.exchange.serve
        BoundedWait.value_of(answering)
        @lobby.read_records
      end
    end

    def copy_of(file)
      file.flush
      path = "#{file.path}.copy"
      FileUtils.cp(file.path, path)
      Object.new.tap { |body| body.define_singleton_method(:to_path) { path } }
    end

    def queue_seconds(request, **options)
      board = Board.create
      harness = HttpHarness.new(lobby: false) { [200, {}, []] }
      harness.connection.count_on(board.row(5))
      serve(request, harness: harness, **options)
      board.row(5).queue_us.first / 1_000_000.0
    ensure
      board.close
    end
  end
end
