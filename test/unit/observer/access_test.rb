# frozen_string_literal: true

require "test_helper"
require "coppice/observer/access"

module Coppice
  class Observer
    class AccessTest < TestCase
      TOKEN = "a-secret-of-the-test"

      def access(token: TOKEN, **options) = Access.new(token: token, **options)

      def host_allowed?(name, **options) = access(**options).host_allowed?("HTTP_HOST" => name)

      test "a Host that is an address, localhost or expected is served" do
        ["127.0.0.1", "127.0.0.1:9293", "10.1.2.3", "[::1]", "[::1]:80", "localhost", "LOCALHOST:1", "localhost."]
          .each { |name| assert host_allowed?(name), name }
        assert host_allowed?("admin.example.com:80", hosts: ["admin.example.com"])
        assert access.host_allowed?({})
      end

      test "any other Host is not: a foreign name may lead here" do
        ["example.com", "localhost.example.com", "127.0.0.1.example.com", "127.0.0.1@example.com", "", "[::1", "1",
         "10.0.0.0/8.com"].each { |name| refute host_allowed?(name), name }
        refute host_allowed?("other.example.com", hosts: ["admin.example.com"])
      end

      test "without a token everybody is known" do
        assert access(token: nil).authorized?({})
        refute_predicate access(token: nil), :login?
        refute access(token: nil).token?("")
      end

      test "the token comes in the header Authorization, whole" do
        assert access.authorized?("HTTP_AUTHORIZATION" => "Bearer #{TOKEN}")
        ["Bearer #{TOKEN}x", "Bearer #{TOKEN[0..-2]}", "Bearer ", "Basic #{TOKEN}", TOKEN, "Bearer x #{TOKEN}"]
          .each { |text| refute access.authorized?("HTTP_AUTHORIZATION" => text), text }
      end

      test "the cookie stands for the token, and does not tell it" do
        cookie = access.cookie("SCRIPT_NAME" => "")
        pair = cookie[/\A[^;]+/]

        assert access.authorized?("HTTP_COOKIE" => "other=1; #{pair}")
        refute access(token: "another-secret-now").authorized?("HTTP_COOKIE" => pair)
        refute access.authorized?("HTTP_COOKIE" => "#{pair}0")
        refute access.authorized?("HTTP_COOKIE" => "coppice_admin_=#{TOKEN}")
        refute_includes cookie, TOKEN
        assert_match(%r{; Path=/; HttpOnly; SameSite=Strict\z}, cookie)
      end

      test "servers at two ports of one host have a cookie each" do
        pair = access.cookie("SERVER_PORT" => "9293")[/\A[^;]+/]

        assert access.authorized?("SERVER_PORT" => "9293", "HTTP_COOKIE" => pair)
        refute access.authorized?("SERVER_PORT" => "9294", "HTTP_COOKIE" => pair)
      end

      test "behind TLS the cookie is for TLS only" do
        assert_match(/; Secure\z/, access.cookie("SCRIPT_NAME" => "", "rack.url_scheme" => "https"))
      end

      test "secrets are compared as digests of one length, to the last byte" do
        digests = []
        trace = TracePoint.new(:call) do |call|
          digests << %i[one other].map { |name| call.binding.local_variable_get(name) } if call.method_id == :same?
        end
        trace.enable { access.token?("x") }

        assert_equal [[64, 64]], digests.map { |pair| pair.map(&:bytesize) }
        refute_match(/@(?:secret|cookie) ==|== @(?:secret|cookie)/, File.read("lib/coppice/observer/access.rb"))
      end
    end
  end
end
