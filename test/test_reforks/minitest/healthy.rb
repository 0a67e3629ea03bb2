# frozen_string_literal: true

require "minitest/autorun"
require "coppice/minitest"

Minitest.after_run { puts "after run in #{Process.pid}" }
puts "loaded by #{Process.pid}"

%w[OakTest ElmTest].each do |name|
  Object.const_set(name, Class.new(Minitest::Test) do
    %w[root stem leaf].each { |part| define_method("test_#{part}") { assert puts("pid #{Process.pid}").nil? } }

    def test_skipped = skip("in winter")
  end)
end
