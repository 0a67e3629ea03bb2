# frozen_string_literal: true

require "rack"

require_relative "../../test_helper"
require_relative "../../support/http_harness"

module Coppice
  class HttpEnvTest < TestCase
    test "a request line and headers become CGI variables" do
      fields = "Host: example.com:81\r\nContent-Type: text/plain\r\nX-Some-Thing: 1\r\n"
      env = env_of("GET /a%20b?c=d&e HTTP/1.1\r\n#{fields}\r\n")

      expected = {
        "REQUEST_METHOD" => "GET", "SCRIPT_NAME" => "", "PATH_INFO" => "/a%20b", "QUERY_STRING" => "c=d&e",
        "REQUEST_URI" => "/a%20b?c=d&e", "REQUEST_PATH" => "/a%20b", "FRAGMENT" => "", "SERVER_NAME" => "example.com",
        "SERVER_PORT" => "81", "SERVER_PROTOCOL" => "HTTP/1.1", "HTTP_VERSION" => "HTTP/1.1",
        "HTTP_HOST" => "example.com:81", "CONTENT_TYPE" => "text/plain", "HTTP_X_SOME_THING" => "1",
        "REMOTE_ADDR" => "127.0.0.1", "GATEWAY_INTERFACE" => "CGI/1.2"
      }
      assert_equal expected, env.slice(*expected.keys)
    end

    test "env has the entries that Rack asks for" do
      env = env_of("GET / HTTP/1.1\r\nHost: a\r\n\r\n")

      assert_equal "http", env["rack.url_scheme"]
      assert_equal [false, true, false], env.values_at("rack.multithread", "rack.multiprocess", "rack.run_once")
      assert_equal [[], []], env.values_at("rack.response_finished", "rack.after_reply")
      assert_same $stderr, env["rack.errors"]
      refute_includes env, "rack.early_hints"
      refute_includes env, "rack.logger"
      assert_equal env["coppice.worker"], env["pitchfork.worker"]
      refute_nil env["pitchfork.timeout"]
    end

    test "a logger of the user's is rack.logger" do
      logger = Object.new
      assert_same logger, env_of("GET / HTTP/1.1\r\nHost: a\r\n\r\n", logger: logger)["rack.logger"]
    end

    test "each request has an env of its own" do
      envs = []
      harness = HttpHarness.new { |env| envs << env and env["mine"] = 1 and [200, {}, []] }
      2.times { harness.serve("GET / HTTP/1.1\r\nHost: a\r\n\r\n") }

      refute_same envs[0], envs[1]
      refute_same envs[0]["rack.after_reply"], envs[1]["rack.after_reply"]
      refute envs[1].frozen?
    end

    test "no request can change a string of the next one's env" do
      envs = []
      harness = HttpHarness.new { |env| envs << env and [200, {}, []] }
      2.times { harness.serve("GET /a?b HTTP/1.1\r\nHost: a\r\nX-B: c\r\n\r\n") }
      shared = envs[0].select { |name, value| value.is_a?(String) && !value.frozen? && value.equal?(envs[1][name]) }

      assert_empty shared
    end

    test "the version is the one that was sent" do
      assert_equal "HTTP/1.0", env_of("GET / HTTP/1.0\r\n\r\n")["SERVER_PROTOCOL"]
    end

    test "repeated headers are joined by commas, cookies by semicolons" do
      fields = ["Host: a", "Accept: x", "Accept: y", "X-Own: 1", "x-own: 2", "Cookie: a=1", "cookie: b=2"]
      env = env_of("GET / HTTP/1.1\r\n#{fields.join("\r\n")}\r\n\r\n")

      assert_equal ["x, y", "1, 2", "a=1; b=2"], env.values_at("HTTP_ACCEPT", "HTTP_X_OWN", "HTTP_COOKIE")
    end

    test "a header cannot become HTTP_PROXY or HTTP_VERSION" do
      env = env_of("GET / HTTP/1.1\r\nHost: a\r\nProxy: evil\r\npROXY: evil\r\nVersion: evil\r\n\r\n")

      refute_includes env, "HTTP_PROXY"
      assert_equal "HTTP/1.1", env["HTTP_VERSION"]
    end

    test "names with an underscore are dropped unless they are allowed" do
      request = "GET / HTTP/1.1\r\nHost: a\r\nX-Real: 1\r\nX_Real: 2\r\nx_other: 3\r\n\r\n"

      assert_equal ["1", nil], env_of(request).values_at("HTTP_X_REAL", "HTTP_X_OTHER")
      assert_equal 2, env_of(request)["coppice.dropped_headers"]
      env = env_of(request, allow_underscore_headers: true)

      assert_equal ["1, 2", "3"], env.values_at("HTTP_X_REAL", "HTTP_X_OTHER")
    end

    test "very long header names get through whole" do
      name = "x-#{'a' * 600}"
      assert_equal "1", env_of("GET / HTTP/1.1\r\nHost: a\r\n#{name}: 1\r\n\r\n")["HTTP_#{name.upcase.tr('-', '_')}"]
    end

    test "ASCII values are UTF-8, others binary" do
      env = env_of("GET /a HTTP/1.1\r\nHost: a\r\nX-Plain: a\r\nX-Bytes: \xC3\xA4\r\n\r\n".b)

      assert_equal Encoding::UTF_8, env["HTTP_X_PLAIN"].encoding
      assert_equal Encoding::UTF_8, env["PATH_INFO"].encoding
      assert_equal Encoding::BINARY, env["HTTP_X_BYTES"].encoding
    end

    test "the server's name and port come from the Host header" do
      servers = ["a", "a:8080", "[::1]", "[::1]:9"].map do |host|
        env_of("GET / HTTP/1.1\r\nHost: #{host}\r\n\r\n").values_at("SERVER_NAME", "SERVER_PORT")
      end

      assert_equal [%w[a 80], %w[a 8080], %w[[::1] 80], %w[[::1] 9]], servers
    end

    test "without a Host header they are the address that was reached" do
      seen = nil
      harness = HttpHarness.new { |env| (seen = env) && [200, {}, []] }
      port = nil
      harness.with_client(tcp: true) do |client|
        port = client.remote_address.ip_port
        client.write("GET / HTTP/1.0\r\n\r\n")
        BoundedWait.read(client)
      end

      assert_equal ["127.0.0.1", port.to_s, "127.0.0.1"], seen.values_at("SERVER_NAME", "SERVER_PORT", "REMOTE_ADDR")
    end

    test "an absolute target gives path and host" do
      env = env_of("GET http://example.com:81/x?y HTTP/1.1\r\nHost: example.com:81\r\n\r\n")

      assert_equal ["/x", "y", "example.com", "81", "http://example.com:81/x?y"],
                   env.values_at("PATH_INFO", "QUERY_STRING", "SERVER_NAME", "SERVER_PORT", "REQUEST_URI")
      assert_equal "/", env_of("GET http://example.com HTTP/1.1\r\nHost: example.com\r\n\r\n")["PATH_INFO"]
    end

    test "OPTIONS may ask for the server itself" do
      assert_equal "*", env_of("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n")["PATH_INFO"]
    end

    test "a trusted proxy may say that its client used TLS" do
      request = "GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-Proto: https\r\n\r\n"

      assert_equal %w[https 443], env_of(request).values_at("rack.url_scheme", "SERVER_PORT")
      ssl = request.sub("X-Forwarded-Proto: https", "X-Forwarded-Ssl: on")
      assert_equal "https", env_of(ssl)["rack.url_scheme"]
    end

    test "of two headers that disagree the one counts that Rack::Request takes" do
      envs = %w[http https].product(%w[on off]).map do |proto, ssl|
        env_from_proxy("#{proto}\r\nX-Forwarded-Ssl: #{ssl}")
      end

      assert_equal(envs.map { |env| ::Rack::Request.new(env).scheme }, envs.map { |env| env["rack.url_scheme"] })
      assert_equal "https 443", https_server(["192.0.2.1"], "X-Forwarded-Proto: http\r\nX-Forwarded-Ssl: on")
    end

    test "only the exact word in X-Forwarded-Proto counts" do
      schemes = %w[https HTTPS httpsx http].map { |proto| env_from_proxy(proto)["rack.url_scheme"] }

      assert_equal %w[https https http http], schemes
    end

    test "of several schemes in X-Forwarded-Proto the one counts that Rack::Request takes" do
      lists = ["https,http", "http, https", "https,\thttp,", "http\r\nX-Forwarded-Proto: https", "https, other"]
      envs = lists.map { |list| env_from_proxy(list) }

      assert_equal(envs.map { |env| ::Rack::Request.new(env).scheme }, envs.map { |env| env["rack.url_scheme"] })
      rack3, rack2 = [false, true].map do |old|
        Http.stub(:rack2?, old) { lists.map { |list| env_from_proxy(list)["rack.url_scheme"] } }
      end
      assert_equal [%w[http https http https https], %w[https http https http https]], [rack3, rack2]
    end

    test "a client of a connection that is HTTPS has that scheme, unless a trusted proxy says another" do
      fields = { nil => "https", "X-Forwarded-Proto: https" => "https", "X-Forwarded-Proto: http" => "http",
                 "X-Forwarded-Proto: wss" => "https", "X-Forwarded-Ssl: on" => "https",
                 "X-Forwarded-Ssl: off" => "http", "X-Forwarded-Proto: wss\r\nX-Forwarded-Ssl: off" => "https" }
      fields.each do |field, scheme|
        assert_equal scheme, https_server(["192.0.2.1"], field)[/\w+/], field
        assert_equal "https 443", https_server([], field), field
      end
    end

    test "the next client of another connection is not HTTPS" do
      harness = HttpHarness.new(lobby: false) { |env| [200, {}, [env["rack.url_scheme"]]] }
      schemes = [true, nil].map { |https| answer_to(harness, "GET / HTTP/1.1\r\nHost: a\r\n\r\n", https: https) }
      assert_equal %w[https http], schemes
    end

    test "without a Host header a Unix socket has the port of the scheme" do
      harness = HttpHarness.new(lobby: false) do |env|
        [200, {}, [env.values_at("SERVER_NAME", "SERVER_PORT").join(" ")]]
      end
      names = [nil, true].map { |https| answer_to(harness, "GET / HTTP/1.0\r\n\r\n", https: https, from: "") }
      assert_equal ["localhost 80", "localhost 443"], names
    end

    test "no other client may say that it used TLS" do
      harness = HttpHarness.new(trusted_networks: ["192.0.2.1"]) { |env| [200, {}, [env["rack.url_scheme"]]] }
      client = harness.connect("192.0.2.2", "GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-Proto: https\r\n\r\n")
      harness.serve_client
      assert_equal "http", HttpHarness::Answer.new(BoundedWait.read(client)).body
      client.close
      harness.with_client(tcp: true) do |client|
        client.write("GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-Proto: https\r\n\r\n")
        assert_equal "http", HttpHarness::Answer.new(BoundedWait.read(client)).body
      end
    end

    test "what an untrusted proxy says decides nothing, and reaches the application" do
      seen = nil
      harness = HttpHarness.new(trusted_networks: []) { |env| (seen = env) && [200, {}, []] }
      harness.serve("GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Ssl: on\r\n\r\n", tcp: true)

      assert_equal %w[http 80], seen.values_at("rack.url_scheme", "SERVER_PORT")
      assert_equal %w[https on], seen.values_at("HTTP_X_FORWARDED_PROTO", "HTTP_X_FORWARDED_SSL")
    end

    test "the client and the host that a proxy names decide nothing, even when it is trusted" do
      fields = {
        "X-Forwarded-For" => "192.0.2.1", "X-Real-Ip" => "192.0.2.2", "Client-Ip" => "192.0.2.3",
        "X-Forwarded-Host" => "b",
        "X-Forwarded-Port" => "1", "X-Forwarded-Scheme" => "https", "Forwarded" => "for=192.0.2.4;proto=https;host=c"
      }
      env = env_of("GET / HTTP/1.1\r\nHost: a\r\n#{fields.map { |name, value| "#{name}: #{value}\r\n" }.join}\r\n")

      assert_equal %w[127.0.0.1 a 80 http],
                   env.values_at("REMOTE_ADDR", "SERVER_NAME", "SERVER_PORT", "rack.url_scheme")
      assert_equal fields.values, env.values_at(*fields.keys.map { |name| "HTTP_#{name.upcase.tr('-', '_')}" })
    end

    test "a forwarded header with an underscore is none" do
      env = env_of("GET / HTTP/1.1\r\nHost: a\r\nX_Forwarded_Proto: https\r\nX-Forwarded_Ssl: on\r\n\r\n")

      assert_equal ["http", nil, nil],
                   env.values_at("rack.url_scheme", "HTTP_X_FORWARDED_PROTO", "HTTP_X_FORWARDED_SSL")
    end

    test "an upgrade is offered as rack.protocol, without empty elements" do
      env = env_of("GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket, ,other,\r\n\r\n")

      assert_equal %w[websocket other], env["rack.protocol"]
      refute_includes env_of("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), "rack.protocol"
    end

    test "a client can come with bytes that were read already" do
      harness = HttpHarness.new { |env| [200, {}, [env["PATH_INFO"], env["REMOTE_ADDR"]]] }
      client = harness.connect("192.0.2.7", "GET /ahead HTTP/1.1\r\nHost: a\r\n\r\n")
      harness.serve_client

      assert_equal "/ahead192.0.2.7", HttpHarness::Answer.new(BoundedWait.read(client)).body
    ensure
      client.close
    end

    private

    # Scheme and port of a request that comes from 192.0.2.1 on a connection that is HTTPS.
    def https_server(trusted, field)
      harness = HttpHarness.new(lobby: false, trusted_networks: trusted) do |env|
        [200, {}, [env.values_at("rack.url_scheme", "SERVER_PORT").join(" ")]]
      end
      answer_to(harness, ["GET / HTTP/1.1", "Host: a", *field, "", ""].join("\r\n"), https: true)
    end

    def answer_to(harness, request, https:, from: "192.0.2.1")
      client = harness.connect(from, request)
      harness.connection.https = true if https
      harness.serve_client
      HttpHarness::Answer.new(BoundedWait.read(client)).body
    ensure
      client.close
    end

    def env_from_proxy(scheme) = env_of("GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-Proto: #{scheme}\r\n\r\n")

    def env_of(request, **settings)
      seen = nil
      HttpHarness.new(**settings) { |env| (seen = env.dup) && [200, {}, []] }.serve(request)
      seen || flunk("the request was refused")
    end
  end
end
