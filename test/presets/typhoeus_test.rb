# frozen_string_literal: true

require_relative "support/preset_test_case"
require_relative "support/echo_server"

module Coppice
  class TyphoeusPresetTest < PresetTestCase
    # One worker in two uses the library: the other one is promoted.
    APP = <<~'RUBY'
      require "typhoeus"
      run(lambda do |env|
        worker = env["coppice.worker"]
        token = env["QUERY_STRING"]
        next [200, {}, ["#{token} - #{Process.pid}"]] if worker.nr.zero? && worker.generation < 2
        response = Typhoeus.get("#{ENV.fetch("ECHO")}/#{token}")
        [200, {}, ["#{response.body} #{Process.pid}"]]
      end)
    RUBY

    test "the worker that has used it is never promoted" do
      EchoServer.open { |echo| assert_survives(APP, env: { "ECHO" => echo.url }) }
    end

    # Neither the pool nor the stack keeps a handle.
    test "the worker that has used it is never promoted, also once its handles are garbage" do
      work = 'Thread.new { Typhoeus.get(ENV.fetch("ECHO")) && Typhoeus::Pool.clear }.join && GC.start'
      EchoServer.open { |echo| assert_never_promoted('require "typhoeus"', work, env: { "ECHO" => echo.url }) }
    end

    test "without the preset its copy raises an error" do
      EchoServer.open do |echo|
        env = { "ECHO" => echo.url }
        assert_fails_without(:ethon, APP.sub(/next .*/, ""), with: /Ethon::Errors::ForkSafety/, env: env)
      end
    end
  end
end
