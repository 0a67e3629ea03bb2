# frozen_string_literal: true

require_relative "preset_test_case"
require_relative "echo_server"

module Coppice
  # For HTTP clients that keep a connection. Their applications send requests to $ECHO, and the first one at boot with
  # $AT_BOOT.
  class HttpClientTestCase < PresetTestCase
    # fails_without: whether processes share a connection without the preset, by whether it has TLS. with: what is
    # seen of that.
    def self.test_client(app, preset:, fails_without: [false, true], with: SHARED)
      [false, true].each do |tls|
        test("a kept connection#{" with TLS" if tls}") { with_echo(tls) { |env| assert_survives(app, env: env) } }
      end

      test "a connection that was opened at boot" do
        with_echo(true) { |env| assert_survives(app, env: env.merge("AT_BOOT" => "1")) }
      end

      fails_without.each do |tls|
        test "without the preset, processes share a connection#{" with TLS" if tls}" do
          with_echo(tls) { |env| assert_fails_without(preset, app, with: with, env: env) }
        end
      end
    end

    private

    def with_echo(tls)
      EchoServer.open(tls: tls) { |echo| yield({ "ECHO" => echo.url }) }
    end
  end
end
