# frozen_string_literal: true

require "tempfile"
require "test_helper"
require "coppice"
require "coppice/board"
require_relative "../../support/http_harness"

module Coppice
  # What a connection counts on a row of the board: bytes, responses, time in a proxy's queue.
  class TrafficTest < TestCase
    GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    LONG = "a" * 200_000
    HOUR = 3600

    def setup
      @board = Board.create
      @row = @board.row(5)
    end

    def teardown
      @board.close
    end

    def harness(answer = nil, **settings, &block)
      HttpHarness.new(block || ->(_env) { answer }, **settings).tap { |harness| harness.connection.count_on(@row) }
    end

    test "each response counts in its class" do
      statuses = [200, 204, 301, 404, 404, 503]
      served = harness { [statuses.shift, {}, []] }
      6.times { served.serve(GET) }

      assert_equal [0, 2, 1, 2, 1], @row.responses
    end

    test "a refused request is a response, and so is the error page of an application that raises" do
      harness.serve("NONSENSE\r\n\r\n")
      harness { raise "no" }.serve(GET)

      assert_equal [0, 0, 0, 1, 1], @row.responses
    end

    test "a client that leaves without a request gets no response" do
      harness.with_client(&:close)

      assert_equal [0] * 5, @row.responses
    end

    test "all bytes count, of heads and of bodies, in both directions" do
      body = "x" * 100_000
      request = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: #{body.bytesize}\r\n\r\n#{body}"
      answer = harness { |env| [200, {}, [env["rack.input"].read.upcase]] }.serve(request)

      assert_equal [request.bytesize, answer.raw.bytesize], [@row.bytes_received, @row.bytes_sent]
      assert_equal "X" * 100_000, answer.body
    end

    test "bytes of bodies of every kind count" do
      Tempfile.create("body") do |file|
        file.write(LONG)
        file.flush
        each_body(file) do |name, body, headers|
          before = @row.bytes_sent
          answer = harness([200, headers, body]).serve(GET)

          assert_equal LONG, answer["transfer-encoding"] ? answer.text : answer.body, name
          assert_equal answer.raw.bytesize, @row.bytes_sent - before, name
        end
      end
      assert_equal [0, 4, 0, 0, 0], @row.responses
    end

    def each_body(file)
      yield "array", [LONG], {}
      yield "each", LONG.chars.each_slice(50_000).map(&:join).each, {}
      yield "stream", ->(stream) { stream.write(LONG); stream.close }, {}
      path = file.path
      to_path = Object.new.tap { |body| body.define_singleton_method(:to_path) { path } }
      yield "file", to_path, {}
    end

    test "early hints are bytes, and no response" do
      served = harness(early_hints: true) do |env|
        env["rack.early_hints"].call("link" => "</a>")
        [200, {}, ["a"]]
      end
      answer = served.serve(GET)

      assert_equal [[0, 1, 0, 0, 0], answer.raw.bytesize], [@row.responses, @row.bytes_sent]
    end

    test "a connection that the application takes over counts as such" do
      harness { |env| env["rack.hijack"].call.close }.serve(GET)

      assert_equal [1, [0] * 5], [@row.hijacked, @row.responses]
      harness([101, { "rack.hijack" => :close.to_proc }, []]).serve(GET)

      assert_equal [2, [1, 0, 0, 0, 0]], [@row.hijacked, @row.responses]
    end

    test "a connection that was told nothing counts nothing" do
      HttpHarness.new(->(_env) { [200, {}, []] }).serve(GET)

      assert_equal @board.row(9).to_h, @row.to_h
    end

    test "the queue time is that since X-Request-Start, in seconds, milliseconds or microseconds" do
      now = Time.now
      ["t=%.3f" % (now - 2), "%.6f" % (now - 2), ((now - 2).to_f * 1000).to_i, "t=#{((now - 2).to_f * 1e6).to_i}",
       "%.3f" % ((now - 2).to_f * 1000)].each { |start| queued(start) }
      sum, *counts = @row.queue_us

      assert_equal 5, counts.sum
      assert_operator sum, :>=, 9_990_000
      assert_equal counts.sum, counts.drop(Histogram.bucket(1_990_000)).sum
    end

    test "of several proxies the first one counts, and a clock that is a little ahead is no queue" do
      queued("t=#{(Time.now - 2).to_f}, t=#{Time.now.to_f}")

      assert_operator @row.queue_us.first, :>, 1_000_000
      eventually do # it must be ahead still when the request has been read
        sum = @row.queue_us.first
        queued("t=#{start = Time.now.to_f + 0.08}")
        next if Time.now.to_f > start

        assert_equal sum, @row.queue_us.first
      end
    end

    test "a start that cannot be is ignored" do
      now = Time.now.to_f
      ["", "t=", "yesterday", "t=0", "1", now - HOUR - 60, now + 60, "t=#{now.to_i}x", "9" * 40,
       "t=-#{now}"].each { |start| queued(start) }

      assert_equal 0, @row.queue_us.sum
    end

    test "only a trusted proxy's word counts" do
      app = ->(_env) { [200, {}, []] }
      harness(app, trusted_networks: ["10.0.0.1"]).serve(start_at(Time.now.to_f - 1), tcp: true)
      harness(app, trusted_networks: ["10.0.0.1"]).serve(start_at(Time.now.to_f - 1))

      assert_equal 0, @row.queue_us.sum
      harness(app, trusted_networks: ["127.0.0.1"]).serve(start_at(Time.now.to_f - 1), tcp: true)

      assert_equal 1, @row.queue_us.drop(1).sum
    end

    def start_at(start) = "GET / HTTP/1.1\r\nHost: a\r\nX-Request-Start: #{start}\r\n\r\n"

    def queued(start) = harness([200, {}, []]).serve(start_at(start))
  end
end
