# frozen_string_literal: true

require "logger"
require "stringio"
require "zlib"
require_relative "../../test_helper"
require_relative "../../support/lint_test_case"

module Coppice
  # The middleware and applications that Rack itself ships, each held to the SPEC by Lint.
  class HttpMiddlewareTest < LintTestCase
    FOLDER, NAME = File.split(File.expand_path(__FILE__))
    TEXT_OF_FILE = File.read(__FILE__)

    test "a stack of them" do
      log = StringIO.new
      stack = [[::Rack::CommonLogger, log], [::Rack::Runtime], [::Rack::Head], [::Rack::ConditionalGet], [::Rack::ETag],
               [::Rack::ContentLength], [::Rack::MethodOverride], [::Rack::Lock], [::Rack::TempfileReaper]]
      app = stacked(stack) { |env| [200, TEXT.dup, [env["REQUEST_METHOD"]]] }
      first = answer_of(app, GET)
      second = answer_of(app, "GET / HTTP/1.1\r\nHost: a\r\nIf-None-Match: #{first['etag']}\r\n\r\n")

      assert_equal [200, "GET"], [first.status, first.text]
      assert_equal [304, ""], [second.status, second.body]
      assert_equal [200, ""], status_and_body(app, HEAD)
      assert_equal 3, log.string.lines.size
    end

    test "Deflater's stream of pieces" do
      app = stacked([[::Rack::Deflater]]) { [200, TEXT.dup, ["long " * 1000]] }
      answer = answer_of(app, GET.sub("\r\n\r\n", "\r\nAccept-Encoding: gzip\r\n\r\n"))

      assert_equal %w[gzip chunked], [answer["content-encoding"], answer["transfer-encoding"]]
      assert_equal "long " * 1000, Zlib.gunzip(answer.text)
    end

    test "Files: whole, in part, unchanged and missing" do
      whole = answer_of(files, get("/#{NAME}"))
      unchanged = get("/#{NAME}", "If-Modified-Since: #{whole['last-modified']}\r\n")

      assert_equal TEXT_OF_FILE, whole.body
      assert_equal [206, "# fro"], status_and_body(files, get("/#{NAME}", "Range: bytes=0-4\r\n"))
      assert_equal [304, ""], status_and_body(files, unchanged)
      assert_equal 404, answer_of(files, get("/missing")).status
    end

    test "Static before an application, which Cascade and URLMap lead to" do
      app = ::Rack::Cascade.new([->(_env) { [404, TEXT.dup, []] }, ->(env) { [200, TEXT.dup, [env["SCRIPT_NAME"]]] }])
      map = ::Rack::URLMap.new("/mapped" => app)
      static = ::Rack::Static.new(map, urls: ["/#{NAME}"], root: FOLDER)

      assert_equal TEXT_OF_FILE, answer_of(static, get("/#{NAME}")).body
      assert_equal "/mapped", answer_of(static, get("/mapped/below")).text
    end

    test "Sendfile leaves the file to the proxy" do
      app = stacked([[::Rack::Sendfile, "X-Accel-Redirect", [[FOLDER, "/files"]]]], &files.method(:call))
      answer = answer_of(app, get("/#{NAME}"))

      assert_equal ["/files/#{NAME}", ""], [answer["x-accel-redirect"], answer.body]
    end

    test "Events see the end of the response" do
      ends = []
      handler = Class.new { include ::Rack::Events::Abstract }.new
      handler.define_singleton_method(:on_finish) { |_request, response| ends << response.status }
      app = stacked([[::Rack::Events, [handler]]]) { [200, TEXT.dup, ["a"]] }

      assert_equal "a", answer_of(app, GET).text
      assert_equal [200], ends
    end

    test "an upload becomes a file, which is removed afterwards" do
      part_head = "Content-Disposition: form-data; name=f; filename=n\r\nContent-Type: text/plain"
      part = "--b\r\n#{part_head}\r\n\r\ncontent\r\n--b--\r\n"
      type = "Content-Type: multipart/form-data; boundary=b\r\n"
      upload = "POST / HTTP/1.1\r\nHost: a\r\n#{type}Content-Length: #{part.bytesize}\r\n\r\n#{part}"
      path = nil
      answer = lint(upload) do |env|
        file = ::Rack::Request.new(env).params["f"][:tempfile]
        path = file.path
        [200, TEXT.dup, [file.read]]
      end

      assert_equal "content", answer.text
      refute_path_exists path
    end

    test "what only Rack 2 ships: Lobster, cookie sessions and Chunked" do
      skip "this is Rack #{::Rack.release}" unless rack2?

      require "rack/lobster"
      assert_match(/Lobstericious!/, answer_of(::Rack::Lobster.new, GET).text)
      app = stacked([[::Rack::Chunked], [::Rack::Session::Cookie, { secret: "s" * 64 }]]) do |env|
        [200, TEXT.dup, [(env["rack.session"]["visits"] = env["rack.session"]["visits"].to_i + 1).to_s]]
      end
      first = answer_of(app, GET)

      assert_equal "1", first.text
      assert_equal "2", answer_of(app, get("/", "Cookie: #{first['set-cookie'][/\A[^;]+/]}\r\n")).text
    end

    private

    def get(target, lines = "") = "GET #{target} HTTP/1.1\r\nHost: a\r\n#{lines}\r\n"

    def status_and_body(app, request) = answer_of(app, request).then { |answer| [answer.status, answer.body] }

    def files = ::Rack::Files.new(FOLDER)

    # The application with the first of the middleware outermost.
    def stacked(middleware, &app)
      middleware.reverse.inject(app) { |inner, (name, *arguments)| name.new(inner, *arguments) }
    end
  end
end
