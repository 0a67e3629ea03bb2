# frozen_string_literal: true

require "test_helper"
require "coppice/monitor/state/route_template"

class RouteTemplateTest < Coppice::TestCase
  test "what varies in a path is a star" do
    { "GET /" => "GET /", "POST /rooms/12/messages" => "POST /rooms/*/messages", "GET /a/b-2/" => "GET /a/*/",
      "GET /u/#{"x" * 25}" => "GET /u/*", "GET /%20" => "GET /*" }.each do |request, template|
      assert_equal template, Coppice::Monitor::RouteTemplate.of(request)
    end
  end

  test "what was cut, and what is none, has no template" do
    ["GET /#{"a" * 130}", "", "GET", "GET \u00e9", "OPTIONS *", "GET /a\nb"].each do |request|
      assert_nil Coppice::Monitor::RouteTemplate.of(request), request
    end
  end
end
