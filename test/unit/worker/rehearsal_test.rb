# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/worker/rehearsal"
require_relative "../../support/http_harness"

module Coppice
  class Worker
    class RehearsalTest < TestCase
      OK = [200, {}, ["ok"]].freeze

      test "each path is asked for with GET, several times, as by a client that came by TLS" do
        seen = []
        facts = %w[REQUEST_METHOD PATH_INFO QUERY_STRING rack.url_scheme]
        rehearse(["/", "/products?page=2"]) { |env| seen << env.values_at(*facts) && OK }

        assert_equal Rehearsal::ROUNDS, seen.size / 2
        assert_equal [["GET", "/", "", "https"], ["GET", "/products", "page=2", "https"]], seen.uniq
        assert_empty @harness.log.at(:warn)
      end

      test "it is believed to be secure whichever proxies are trusted" do
        seen = []
        rehearse(["/"], trusted_networks: [].freeze) { |env| seen << env["rack.url_scheme"] && OK }

        assert_equal ["https"], seen.uniq
      end

      test "the caller is told once, when everything has been asked for once" do
        asked = []
        told = rehearse(%w[/a /b]) { |env| asked << env["PATH_INFO"] && OK }

        assert_equal [%w[/a /b]], told.map { |count| asked.first(count) }
      end

      test "the status of each path is logged once, as a warning unless it is warm, and is not fatal" do
        rehearse(%w[/broken /missing /moved /good]) do |env|
          raise "no" if env["PATH_INFO"] == "/broken"

          status = { "/missing" => 404, "/moved" => 302 }.fetch(env["PATH_INFO"], 200)
          [status, status == 302 ? { "location" => "/there" } : {}, []]
        end

        assert_equal [[:warn, 500, "/broken", nil], [:warn, 404, "/missing", nil], [:warn, 302, "/moved", "/there"],
                      [:info, 200, "/good", nil]], reported
        assert_equal ["warm-up request", "rehearsal finished"], @harness.log.at(:info)
        assert_equal 3, @harness.log.entries.last.last[:not_warm]
      end

      test "a path that fails first and succeeds later is warm at the end" do
        asked = 0
        rehearse(["/"]) { [(asked += 1) < 3 ? 500 : 200, {}, []] }

        level, _, fields = @harness.log.entries.last
        assert_equal [:info, nil], [level, fields[:not_warm]]
      end

      test "the end is a warning when no request has warmed anything" do
        rehearse(%w[/ /moved]) { |env| env["PATH_INFO"] == "/" ? [500, {}, []] : [302, { "location" => "/" }, []] }

        level, message, fields = @harness.log.entries.last
        assert_equal [:warn, "rehearsal finished", 2], [level, message, fields[:not_warm]]
      end

      test "a path that fails only later is logged once more" do
        asked = 0
        rehearse(["/"]) { [(asked += 1) < 3 ? 200 : 503, {}, []] }

        assert_equal [[:info, 200, "/", nil], [:warn, 503, "/", nil]], reported
      end

      test "the requests are those of a browser, and a header of the block replaces one of them" do
        seen = []
        names = %w[HTTP_ACCEPT HTTP_ACCEPT_ENCODING HTTP_ACCEPT_LANGUAGE]
        block = ->(client) { client.get("/own", "accept-language" => "cy", "ACCEPT" => "*/*") }
        rehearse(["/"], block) { |env| seen << env.values_at(*names) && OK }

        assert_equal [Rehearsal::HEADERS.values_at("Accept", "Accept-Encoding", "Accept-Language"),
                      ["*/*", "gzip, br", "cy"]], seen.uniq
      end

      test "the headers of a block may be a Hash, or keywords" do
        seen = []
        block = lambda do |client|
          client.get("/", { "X-Kind" => "hash" })
          client.get("/", "X-Kind" => "keywords")
          client.get("/", { "X-Kind" => "hash" }, Accept: "both")
        end
        rehearse([], block) { |env| seen << env.values_at("HTTP_X_KIND", "HTTP_ACCEPT") && OK }

        browser = Rehearsal::HEADERS.fetch("Accept")
        assert_equal [["hash", browser], ["keywords", browser], %w[hash both]], seen
      end

      test "a block is one visitor: it sends the cookies that it was given, and no path of the list does" do
        seen = []
        block = lambda do |client|
          client.request("POST", "/login")
          client.get("/account")
          client.get("/other", "cookie" => "own=1")
          seen << client.cookies
        end
        rehearse(["/"], block) do |env|
          seen << env.values_at("PATH_INFO", "HTTP_COOKIE")
          [303, { "location" => "/account", "set-cookie" => env["PATH_INFO"] == "/login" ? "a=1; path=/" : "b=2" }, []]
        end

        assert_equal [["/", nil], ["/login", nil], ["/account", "a=1"], ["/other", "own=1"], "a=1; b=2"], seen.uniq
        assert_equal "/", @rehearsal.quick_path(1)
      end

      test "a path that is quick for a visitor with cookies is not remembered" do
        rehearse([], ->(client) { client.get("/login") && client.get("/account") }) do |env|
          env["PATH_INFO"] == "/login" ? [404, { "set-cookie" => "a=1" }, []] : OK
        end

        assert_nil @rehearsal.quick_path(1)
      end

      test "a path that is redirected is requested by each worker only if no other path is quick" do
        rehearse(%w[/moved /page]) { |env| env["PATH_INFO"] == "/moved" ? [301, { "location" => "/" }, []] : OK }
        assert_equal "/page", @rehearsal.quick_path(1)

        rehearse(["/moved"]) { [301, { "location" => "/" }, []] }
        assert_equal "/moved", @rehearsal.quick_path(1)
      end

      test "a block is given a client that answers statuses" do
        statuses = []
        block = lambda do |client|
          statuses << client.get("/", "Accept" => "text/html")
          statuses << client.request("POST", "/cart", { "X-Kind" => "test" }, "a=1") << client.get("/none")
        end
        seen = []
        rehearse([], block) do |env|
          seen << [env["REQUEST_METHOD"], env["HTTP_ACCEPT"], env["HTTP_X_KIND"], env["rack.input"].read]
          [env["PATH_INFO"] == "/none" ? 410 : 201, {}, []]
        end

        browser = Rehearsal::HEADERS.fetch("Accept")
        assert_equal [201, 201, 410], statuses
        assert_equal [["GET", "text/html", nil, ""], ["POST", browser, "test", "a=1"], ["GET", browser, nil, ""]], seen
      end

      [StandardError, NotImplementedError].each do |error|
        test "a block that raises #{error} is logged, and not fatal" do
          rehearse([], ->(_client) { raise error, "no" }) { OK }

          assert_equal ["rehearsal failed: no (#{error})"], @harness.log.at(:error)
        end
      end

      test "long answers and long bodies fit" do
        length = 2 << 20
        seen = status = nil
        rehearse([], ->(client) { status = client.request("PUT", "/", {}, "x" * length) }) do |env|
          seen = env["rack.input"].read.bytesize
          [200, {}, ["y" * length]]
        end

        assert_equal [length, 200], [seen, status]
      end

      test "an answer that does not wait for the body is an answer" do
        status = nil
        block = ->(client) { status = client.request("POST", "/", {}, "x" * (2 << 20)) }
        rehearse([], block, max_body_bytes: 1000) { OK }

        assert_equal 413, status
      end

      test "early hints are not the answer" do
        status = nil
        rehearse([], ->(client) { status = client.get("/") }, early_hints: true) do |env|
          env["rack.early_hints"].call({ "link" => "</a.css>; rel=preload" })
          OK
        end

        assert_equal 200, status
      end

      test "the first path that is answered well and quickly is remembered" do
        block = ->(client) { client.get("/private", "Authorization" => "a") && client.get("/late") }
        seconds = { "/slow" => 2, "/quick" => 0.5 }
        now = 0.0
        rehearse(%w[/missing /slow /quick], block, clock: -> { now }) do |env|
          now += seconds.fetch(env["PATH_INFO"], 0)
          env["PATH_INFO"] == "/missing" ? [404, {}, []] : OK
        end

        assert_equal ["/quick", "/late", nil], ([1, 0.1, 0].map { |limit| @rehearsal.quick_path(limit) })
      end

      test "a single request leaves no client behind" do
        threads = Thread.list.size
        seen = []
        new_rehearsal(errors_only: true) { |env| seen << env["PATH_INFO"] && OK }.once(["/one"])

        assert_equal [["/one"], threads], [seen, Thread.list.size]
        assert_empty @harness.log.entries
      end

      test "one that is called away asks for nothing more" do
        asked = 0
        rehearse(%w[/a /b], ->(_client) { asked += 100 }, interrupted: -> { asked == 3 }) { (asked += 1) && OK }

        assert_equal 3, asked
      end

      test "a worker that exits while its client waits for the response exits without an error of the client" do
        threads = Thread.list
        connection = nil
        rehearsal = new_rehearsal do |env|
          connection = env["rack.hijack"].call # it stays open, so that the client still waits
          client, = Thread.list - threads
          BoundedWait.wait(BoundedWait::SECONDS, "the client does not wait") { client.stop? }
          exit
        end

        assert_silent { assert_raises(SystemExit) { rehearsal.call(["/"], nil) { nil } } }
      ensure
        connection&.close
      end

      test "no descriptor and no thread is left" do
        descriptors, threads = held = [Dir.children("/proc/self/fd").size, Thread.list.size]
        rehearse(["/"]) { OK }

        assert_operator Dir.children("/proc/self/fd").size, :<=, descriptors, held
        assert_operator Thread.list.size, :<=, threads, held
      end

      private

      # Level, status, path and location of the lines about paths.
      def reported
        lines = @harness.log.entries.select { |_, message, _| message.start_with?("warm-up request") }
        lines.map { |level, _, fields| [level, *fields.values_at(:status, :path, :location)] }
      end

      # Answers how many requests there had been each time that the caller was told. The clock stands still unless told
      # otherwise, as a rehearsal that takes long on a busy machine has fewer rounds.
      def rehearse(paths, block = nil, interrupted: -> { false }, clock: -> { 0.0 }, **settings)
        requests = 0
        told = []
        @rehearsal = new_rehearsal(interrupted: interrupted, **settings) { |env| (requests += 1) && yield(env) }
        OS::Clock.stub(:now, clock) { @rehearsal.call(paths, block) { told << requests } }
        told
      end

      def new_rehearsal(interrupted: -> { false }, errors_only: false, **settings, &app)
        @harness = HttpHarness.new(lingering: nil, **settings, &app)
        Rehearsal.new(exchange: @harness.exchange, log: @harness.log, interrupted: interrupted,
                      errors_only: errors_only)
      end
    end
  end
end
