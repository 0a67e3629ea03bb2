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
      @lines = Http::AccessLines.new(@writer.fileno, false, 3, 7, @board.lobby)
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
