# frozen_string_literal: true

require "json"
require "stringio"
require "test_helper"
require "coppice/config/settings"
require "coppice/observer/application"
require_relative "../../support/sample_stats"

module Coppice
  class Observer
    class ApplicationTest < TestCase
      TOKEN = "a-secret-of-the-test"
      BEARER = { "HTTP_AUTHORIZATION" => "Bearer #{TOKEN}" }.freeze
      ACTION = { "HTTP_X_COPPICE_ACTION" => "1" }.freeze

      # In the place of SharedStats.
      class FixedStats
        attr_reader :to_h

        def initialize(stats)
          @to_h = stats
        end

        def history(since:) = { seq: since + 1, records: [] }
      end

      # In the place of the dashboard: answers which request has come to it.
      DASHBOARD = ->(env) { [200, {}, ["dashboard: #{env["REQUEST_METHOD"]} #{env["PATH_INFO"]}"]] }

      def application(stats: SampleStats.of, **values)
        shared = FixedStats.new(stats)
        Application.new(stats: shared, health: shared, settings: Config::Settings.new(values: values),
                        dashboard: DASHBOARD)
      end

      def request(path, verb: "GET", query: "", body: "", headers: {}, application: nil, **options)
        env = { "REQUEST_METHOD" => verb, "PATH_INFO" => path, "QUERY_STRING" => query, "SCRIPT_NAME" => "",
                "HTTP_HOST" => "localhost", "rack.input" => StringIO.new(body) }
        application ||= application(**options)
        status, headers, body = application.call(env.merge(headers))
        [status, headers, body.join]
      end

      def status(path, **options) = request(path, **options).first

      # Yields an application with so many requests at the control socket, and what ends them and returns their status.
      def with_calls_of_monitor(count)
        entered, over = Thread::Queue.new, Thread::Queue.new
        dashboard = lambda do |_env|
          entered << true
          over.pop
          [200, {}, ["done"]]
        end
        shared = FixedStats.new(SampleStats.of)
        application = Application.new(stats: shared, health: shared, dashboard: dashboard,
                                      settings: Config::Settings.new(values: { admin_actions: true }))
        calls = Array.new(count) { Thread.new { request("/backtrace", application: application).first } }
        count.times { entered.pop }
        finish = lambda do
          over.close
          calls.map(&:value)
        end
        yield application, finish
      ensure
        over.close
        calls.each(&:join)
      end

      test "a monitor that answers slowly leaves threads for health checks" do
        with_calls_of_monitor(Application::CONTROL_CALLS) do |application, finish|
          [["/backtrace", {}], ["/actions/refork", { verb: "POST", headers: ACTION }]].each do |path, options|
            status, headers, body = request(path, application: application, **options)

            assert_equal [503, "1", "busy, ask again\n"], [status, headers["retry-after"], body], path
          end
          assert_equal 200, request("/livez", application: application).first
          assert_equal [200, 200], finish.call
          assert_equal 200, request("/backtrace", application: application).first
        end
      end

      test "each path answers in its type" do
        types = { "/metrics" => "text/plain; version=0.0.4; charset=utf-8", "/stats.json" => "application/json",
                  "/history.json" => "application/json", "/puma/stats" => "application/json",
                  "/livez" => "text/plain; charset=utf-8" }
        types.each do |path, type|
          status, headers, body = request(path)

          assert_equal [200, type, body.bytesize.to_s], [status, *headers.values_at("content-type", "content-length")]
        end
      end

      test "what is no JSON, such as bytes of a client or infinity, breaks no page" do
        stats = SampleStats.of(utilization: Float::NAN, directory: "/srv/\xFF")
        server = JSON.parse(request("/stats.json", stats: stats).last).fetch("server")

        assert_equal [nil, "/srv/\u{FFFD}"], server.values_at("utilization", "directory")
      end

      test "the numbers are there" do
        assert_equal 7, JSON.parse(request("/stats.json").last).dig("slots", 2, "requests")
        assert_equal 43, JSON.parse(request("/history.json", query: "a=1&since=42").last)["seq"]
        assert_match(/^coppice_requests_total{slot="2"} 7$/, request("/metrics").last)
      end

      test "a client that accepts OpenMetrics gets it" do
        _, headers, body = request("/metrics", headers: { "HTTP_ACCEPT" => "application/openmetrics-text" })

        assert_match(/\Aapplication\/openmetrics-text; version=1\.0\.0/, headers["content-type"])
        assert_operator body, :end_with?, "# EOF\n"
      end

      test "health is a status, and a line that says why" do
        assert_equal [503, "the server is stopping\n"],
          request("/readyz", stats: SampleStats.of(state: "stopping")).values_at(0, 2)
        assert_equal 200, status("/livez", stats: SampleStats.of(state: "stopping"))
      end

      test "with more clients waiting than max_waiting it is not ready" do
        assert_equal([200, 503], [3, 2].map { |most| status("/readyz", max_waiting: most) })
      end

      test "HEAD is GET without a body" do
        status, headers, body = request("/stats.json", verb: "HEAD")

        assert_equal [200, ""], [status, body]
        assert_operator headers["content-length"].to_i, :>, 0
      end

      test "a foreign Host may read health alone" do
        foreign = { "HTTP_HOST" => "example.com" }
        %w[/ /metrics /livez/ /healthz].each { |path| assert_equal 403, status(path, headers: foreign), path }
        assert_equal 200, status("/metrics", headers: foreign, admin_hosts: ["example.com"])
        %w[GET HEAD].product(%w[/livez /readyz]) do |verb, path|
          assert_equal 200, status(path, verb: verb, headers: foreign, admin_token: TOKEN), path
        end
        assert_equal 403, status("/readyz", verb: "POST", headers: { **foreign, **ACTION }, admin_actions: true)
      end

      test "where there is a token, only health is for everybody" do
        %w[/livez /readyz].each { |path| assert_equal 200, status(path, admin_token: TOKEN), path }
        %w[/ /metrics /stats.json /history.json /puma/stats /assets/x].each do |path|
          assert_equal 401, status(path, admin_token: TOKEN), path
        end
        assert_equal 200, status("/metrics", admin_token: TOKEN, headers: BEARER)
      end

      test "the token counts in no query" do
        assert_equal 401, status("/metrics", admin_token: TOKEN, query: "token=#{TOKEN}&admin_token=#{TOKEN}")
      end

      test "a program is told what is missing, a browser gets a form" do
        assert_equal "Bearer", request("/metrics", admin_token: TOKEN)[1]["www-authenticate"]
        _, headers, form = request("/", admin_token: TOKEN, headers: { "HTTP_ACCEPT" => "text/html,*/*" })

        assert_match(/<form method="post" action="login">/, form)
        assert_match(/default-src 'none'/, headers["content-security-policy"])
      end

      test "the form's token opens the rest by a cookie" do
        status, headers, = request("/login", verb: "POST", body: "a=b&token=#{TOKEN}", admin_token: TOKEN)
        cookie = headers["set-cookie"][/\A[^;]+/]

        assert_equal [303, "./"], [status, headers["location"]]
        assert_equal 200, status("/metrics", admin_token: TOKEN, headers: { "HTTP_COOKIE" => cookie })
      end

      test "a wrong token in the form opens nothing" do
        ["token=wrong", "token=", "", "token=%zz", "xtoken=#{TOKEN}", "token=#{TOKEN}%00"].each do |body|
          status, headers, = request("/login", verb: "POST", body: body, admin_token: TOKEN)

          assert_includes [400, 401], status, body
          assert_nil headers["set-cookie"]
        end
        assert_equal 401, status("/login", verb: "POST", query: "token=#{TOKEN}", admin_token: TOKEN)
      end

      test "actions need the option, the token and the header" do
        action = { verb: "POST" }

        assert_equal 403, status("/actions/refork", **action, headers: ACTION)
        assert_equal 403, status("/actions/refork", **action, admin_actions: true)
        assert_equal 401, status("/actions/refork", **action, admin_actions: true, headers: ACTION, admin_token: TOKEN)
        assert_equal "dashboard: POST /actions/refork",
          request("/actions/refork", **action, admin_actions: true, headers: ACTION).last
        assert_equal 200, status("/actions/refork", **action, admin_actions: true, admin_token: TOKEN,
                                                             headers: ACTION.merge(BEARER))
      end

      test "other methods are refused" do
        %w[PUT DELETE PATCH OPTIONS TRACE].each { |verb| assert_equal 405, status("/metrics", verb: verb), verb }
      end

      test "the dashboard has all other paths" do
        ["/", "/assets/x.js", "/backtrace", "/elsewhere", "/metrics/"].each do |path|
          assert_equal "dashboard: GET #{path}", request(path).last
        end
        refute_match(/dashboard/, request("/metrics").last)
      end
    end
  end
end
