# frozen_string_literal: true

require "test_helper"
require "coppice/tools/cli/request_headers"

module Coppice
  class CLI
    class RequestHeadersTest < TestCase
      def fields(*texts) = RequestHeaders.new.tap { |headers| texts.each { |text| headers.add(text) } }.to_h

      test "a header is a name and a value, which may be empty or have colons" do
        assert_equal({ "accept" => "text/html; q=0.9", "x-empty" => "", "x-time" => "12:30" },
          fields("Accept: text/html; q=0.9 ", "X-Empty:", "x-time:12:30"))
      end

      test "cookies add up, and so do values of other headers" do
        assert_equal({ "cookie" => "a=1; b=2", "x-kind" => "one, two" },
          fields("Cookie: a=1", "X-Kind: one", "cookie: b=2", "X-KIND: two"))
      end

      test "what is no header is refused, without its value" do
        ["secret", "", "No Name: secret", ": secret", "X-Kind : secret", "X-Kind: secret\r\nHost: evil",
         "X-Kind: secret\0", "X\xff: secret"].each do |text|
          error = assert_raises(UsageError, text) { fields(text) }

          assert_match(/\A--header takes 'Name: value', not "/, error.message)
          refute_match(/and.*secret/m, error.message)
        end
      end

      test "what the command says itself is refused" do
        assert_equal "--header cannot set the host: --host does",
          assert_raises(UsageError) { fields("Host: shop.example") }.message
        %w[Connection Content-Length Transfer-Encoding].each do |name|
          assert_equal "--header cannot set #{name}", assert_raises(UsageError) { fields("#{name}: 1") }.message
        end
      end
    end
  end
end
