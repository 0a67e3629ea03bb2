# frozen_string_literal: true

require_relative "../../test_helper"
require_relative "../../support/lint_test_case"

module Coppice
  # Rack::Lint between the server and an application: env, input, and the ways around the response.
  class HttpLintTest < LintTestCase
    test "plain requests of all methods" do
      %w[GET HEAD POST PUT PATCH DELETE OPTIONS].each do |method|
        body = %w[POST PUT PATCH].include?(method) ? "Content-Length: 5\r\n\r\nhello" : "\r\n"
        answer = lint("#{method} /a%20b?c HTTP/1.1\r\nHost: example.com:8080\r\nCookie: a=b\r\n#{body}") do |env|
          input = env["rack.input"]&.read.to_s
          [200, { "content-type" => "text/plain" }, method == "HEAD" ? [] : [input]]
        end
        assert_equal [200, body.end_with?("hello") ? "hello" : ""], [answer.status, answer.text], method
      end
    end

    test "HTTP/1.0, absolute targets, the asterisk and odd bytes" do
      asterisk = "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"
      requests = ["GET / HTTP/1.0\r\n\r\n", "GET http://example.com/x HTTP/1.1\r\nHost: example.com\r\n\r\n",
                  "GET / HTTP/1.1\r\nHost: [::1]:80\r\nX-Bytes: \xE4\r\n\r\n".b]
      requests << asterisk if VersionOrder.at_least?(::Rack.release, "3.1") # the Lint of older ones refuses it
      requests.each do |request|
        assert_equal 200, lint(request) { [200, { "content-type" => "text/plain" }, ["a"]] }.status, request
      end
    end

    test "forms are parsed, sent whole or in chunks" do
      head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n"
      whole = "#{head}Content-Length: 7\r\n\r\na=1&b=2"
      in_chunks = "#{head}Transfer-Encoding: chunked\r\n\r\n7\r\na=1&b=2\r\n0\r\n\r\n"
      [whole, in_chunks].each do |request|
        answer = lint(request) do |env|
          [200, { "content-type" => "text/plain" }, [::Rack::Request.new(env).POST.to_a.join]]
        end
        assert_equal "a1b2", answer.text
      end
    end

    test "the input can be read in every way" do
      post = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\none\ntwo\nab"
      [true, false].each do |rewindable|
        next if !rewindable && rack2? # it demands rewind

        answer = lint(post, rewindable_input: rewindable) do |env|
          input = env["rack.input"]
          pieces = [input.gets, input.read(3)]
          input.each { |line| pieces << line }
          [200, { "content-type" => "text/plain" }, pieces << input.read(1).inspect]
        end
        assert_equal "one\ntwo\nabnil", answer.text
      end
    end

    test "a full hijack" do
      answer = lint("GET / HTTP/1.1\r\nHost: a\r\n\r\n") do |env|
        env["rack.hijack"].call.then do |io|
          io.write("mine")
          io.close
        end
        [200, { "content-type" => "text/plain" }, []]
      end
      assert_equal "mine", answer.raw
    end

    test "a partial hijack" do
      takeover = lambda do |io|
        io.write("raw")
        io.close
      end
      answer = lint("GET / HTTP/1.1\r\nHost: a\r\n\r\n") do
        [200, { "content-type" => "text/plain", "rack.hijack" => takeover }, []]
      end
      assert_equal "raw", answer.body
    end

    test "a streaming body" do
      skip "Rack 2 knows none" if rack2?

      body = lambda do |stream|
        stream.write("a")
        stream.close
      end
      answer = lint("GET / HTTP/1.1\r\nHost: a\r\n\r\n") { [200, { "content-type" => "text/plain" }, body] }
      assert_equal "1\r\na\r\n0\r\n\r\n", answer.body
    end

    test "an upgrade, as the client offers it" do
      skip "Rack 2 knows no streaming body" if rack2?

      body = lambda do |io|
        io.write(io.read(3).reverse)
        io.close
      end
      answer = lint("GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: other, echo\r\n\r\nabc") do |env|
        [101, { "rack.protocol" => env["rack.protocol"].last }, body]
      end
      assert_equal [101, "echo", "upgrade", "cba"],
                   [answer.status, answer["upgrade"], answer["connection"], answer.body]
    end

    test "an upgrade as in Rack 2, by a partial hijack" do
      takeover = lambda do |io|
        io.write(io.read(3).reverse)
        io.close
      end
      answer = lint("GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\nabc") do
        [101, { "connection" => "upgrade", "upgrade" => "echo", "rack.hijack" => takeover }, []]
      end
      assert_equal [101, "echo", "upgrade", "cba"],
                   [answer.status, answer["upgrade"], answer["connection"], answer.body]
    end

    test "callbacks and early hints" do
      ran = []
      answer = lint("GET / HTTP/1.1\r\nHost: a\r\n\r\n", early_hints: true) do |env|
        env["rack.response_finished"] << ->(*arguments) { ran << arguments.size }
        env["rack.early_hints"].call({ "link" => "</a>" })
        [200, { "content-type" => "text/plain" }, ["a"]]
      end
      assert_includes answer.raw, "103 Early Hints\r\nlink: </a>\r\n"
      assert_equal [4], ran
    end
  end
end
