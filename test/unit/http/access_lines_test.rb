# frozen_string_literal: true

require "test_helper"
require "coppice/board"
require_relative "../../support/http_harness"

module Coppice
  # A connection that writes a line of the access log for each client.
  class AccessLinesTest < TestCase
    GET = "GET /%s HTTP/1.1\r\nHost: a\r\n\r\n"

    def setup
      @reader, @writer = IO.pipe
      @board = Board.create
      @harness = HttpHarness.new { |env| [200, {}, [env["HTTP_X_REQUEST_ID"]]] }
      @lines = Http::AccessLines.new(@writer.fileno, false, 3, 7, @board.lobby, ["127.0.0.0/8"])
      @harness.connection.access_log = @lines
    end

    def teardown
      [@reader, @writer, @board].each(&:close)
    end

    test "a line has the client, the request and the worker" do
      id = @harness.serve(GET % "path").body

      assert_match(/\A\h{8}-/, id)
      assert_match(%r{ client=127\.0\.0\.1 method=GET path=/path status=200 bytes=\d+ application_ms=\d+\.\d{3} },
        line = BoundedWait.readable(@reader).gets)
      assert_operator line, :end_with?, " worker=3 generation=7 request_id=#{id}\n"
    end

    test "the client is the one that a trusted proxy names" do
      @harness.serve("GET / HTTP/1.1\r\nX-Forwarded-For: 192.0.2.9\r\nHost: a\r\nx-forwarded-for: 192.0.2.1\r\n\r\n")

      assert_includes BoundedWait.readable(@reader).gets, " client=192.0.2.1 "
    end

    test "a client whose address cannot be read names nobody" do
      client = @harness.connect("unknown")
      client.write("GET / HTTP/1.1\r\nX-Forwarded-For: 192.0.2.1\r\nHost: a\r\n\r\n")
      client.close_write
      @harness.serve_client
      client.close

      refute_includes BoundedWait.readable(@reader).gets, " client="
    end

    test "only networks are trusted, and no more than there is room for" do
      wrong = ["10.0.0.0/33", "10.0.0.0/", "10.0.0.0/8x", "fd00::/129", "proxy", "", "1" * 100].map { |text| [text] }
      [*wrong, ["127.0.0.1"] * 513].each do |networks|
        assert_raises(ArgumentError) { Http::AccessLines.new(@writer.fileno, false, 3, 7, nil, networks) }
      end
      assert Http::AccessLines.new(@writer.fileno, false, 3, 7, nil, ["127.0.0.1", "fc00::/7"] * 256)
    end

    test "a pipe that nobody reads keeps nobody from answering; lines that find no room are counted" do
      @writer.write_nonblock("x" * 65_536, exception: false)
      count = 0
      count += 1 while @harness.serve(GET % ("x" * 2000)).status == 200 && @board.lobby.log_lines_dropped.zero?

      assert_operator count, :<, 100
      assert_equal "x", BoundedWait.readable(@reader).readpartial(65_536)[0]
      assert_equal 200, @harness.serve(GET % "last").status
      assert_match(/path=\/x+/, BoundedWait.readable(@reader).gets)
    end
  end
end
