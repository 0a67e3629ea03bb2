# frozen_string_literal: true

require "test_helper"
require "coppice/http/cookie_jar"

module Coppice
  module Http
    class CookieJarTest < TestCase
      def jar(*fields) = CookieJar.new.tap { |jar| jar.store(fields) }

      test "cookies are sent as they were set, without their attributes" do
        assert_equal "_shop=a==; kind=", jar("_shop=a==; path=/; HttpOnly; Secure", "kind=; SameSite=Lax", "odd").header
        assert_nil jar.header
      end

      test "a later one takes the place of that name, or takes it away" do
        ["a=; Max-Age=0", "a=; path=/; max-age=-1; x", "a=; expires=Thu, 01 Jan 1970 00:00:00 GMT"].each do |gone|
          assert_equal "b=2", jar("a=1", "b=1", "b=2; max-age=01", gone).header
        end
      end
    end
  end
end
