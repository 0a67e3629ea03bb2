# frozen_string_literal: true

require "test_helper"
require "rack"
require "coppice/tools/cold/play"

module Coppice
  module Cold
    class PlayTest < TestCase
      # Counts what a server does with it.
      class Body
        attr_reader :calls

        def initialize
          @calls = []
        end

        def each
          @calls << :each
          yield "text"
        end

        def close = @calls << :close
      end

      test "the application is asked as by a client of its host" do
        env = nil
        play("/shelves?page=2", host: "shop.example") { |given| (env = given) && [204, {}, []] }

        assert_equal ["GET", "https", "shop.example", "/shelves", "page=2", true, :worker],
          env.values_at("REQUEST_METHOD", "rack.url_scheme", "SERVER_NAME", "PATH_INFO", "QUERY_STRING",
            "coppice.warm_up", "coppice.worker")
      end

      test "it has the headers that it is given" do
        env = nil
        play(headers: { "cookie" => "a=1", "content-type" => "text/plain", "x-a" => "b" }) do |given|
          (env = given) && [204, {}, []]
        end

        assert_equal ["a=1", "text/plain", "b"], env.values_at("HTTP_COOKIE", "CONTENT_TYPE", "HTTP_X_A")
      end

      test "another method may have a body, and cookies of the response are told" do
        seen = []
        app = lambda do |env|
          seen << env.values_at("REQUEST_METHOD", "CONTENT_LENGTH") << env["rack.input"].read
          [303, { "Set-Cookie" => "a=1; path=/\nb=2" }, []]
        end
        play = Play.new(app: app, worker: :worker, path: "/", host: "localhost", seconds: 60)
        Play.prepare
        play.call("POST", "q=oak") { |fields| seen << fields }

        assert_equal [%w[POST 5], "q=oak", ["a=1; path=/", "b=2"]], seen
      end

      test "a body is read to its end and closed" do
        body = Body.new
        play { [200, {}, body] }

        assert_equal %i[each close], body.calls
      end

      test "a streaming body gets its stream" do
        written = nil
        outcome = play { [200, {}, ->(stream) { (written = stream.write("piece")) && stream.close }] }

        assert_equal [5, 200, nil], [written, outcome.status, outcome.error]
      end

      test "callbacks after the response are called" do
        done = []
        play do |env|
          env["rack.response_finished"] << ->(_env, status, _headers, _error) { done << status }
          env["rack.after_reply"] << -> { done << :reply }
          [200, {}, []]
        end

        assert_equal [200, :reply], done
      end

      test "a redirect has its location" do
        assert_equal "/cart", play { [302, { "location" => "/cart" }, []] }.location
      end

      test "an exception of the application is the error" do
        assert_equal "no", play { raise ArgumentError, "no" }.error.message
      end

      test "the exception behind an error page is the error" do
        outcome = play { |env| (env["action_dispatch.exception"] = ArgumentError.new("no")) && [500, {}, []] }

        assert_equal ["no", 500], [outcome.error.message, outcome.status]
      end

      test "a handled exception with a good response is not an error" do
        assert_nil play { |env| (env["action_dispatch.exception"] = ArgumentError.new("no")) && [404, {}, []] }.error
      end

      test "a path that hangs times out with its backtrace" do
        eventually do # the time may be over before the path is called
          outcome = play(seconds: 0.01) { sleep }
          line = __LINE__ - 1

          assert_kind_of PlayOverdue, outcome.error
          outcome.error.backtrace.first(3).grep(/\A#{__FILE__}:#{line}:/).any?
        end
      end

      private

      def play(path = "/", host: "localhost", seconds: 60, headers: {}, &app)
        Play.prepare
        Play.new(app: app, worker: :worker, path: path, host: host, seconds: seconds, headers: headers).call
      end
    end
  end
end
