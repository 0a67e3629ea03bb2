# frozen_string_literal: true

require_relative "support/preset_test_case"
require_relative "support/collectors"

module Coppice
  class SentryRubyPresetTest < PresetTestCase
    APP = <<~'RUBY'
      require "sentry-ruby"
      Sentry.init do |config|
        config.dsn = "http://key@127.0.0.1:#{ENV.fetch("SENTRY")}/1"
        config.release = "1"
        config.sdk_logger = Logger.new(File::NULL)
        config.background_worker_threads = 1
        config.transport.timeout = config.transport.open_timeout = 60 # seconds; the defaults are 2 and 1
      end
      run(lambda do |env|
        DELIVER.call(env["QUERY_STRING"])
        [200, {}, ["#{env["QUERY_STRING"]} - #{Process.pid}"]]
      end)
    RUBY

    test "each process delivers its messages, each once" do
      deliver("DELIVER = ->(token) { Sentry.capture_message(token) if Integer(token[/\\d+\\z/]) % 5 == 0 }")
    end

    test "each process delivers its logs, each once, though their buffer is copied" do
      deliver("DELIVER = ->(token) { Sentry.logger.info(token) }")
    end

    private

    def deliver(how)
      Collectors.http do |sentry, received|
        assert_delivers("#{how}\n#{APP}", env: { "SENTRY" => sentry.port.to_s }) { once(received.call) }
      end
    end

    # A message is named twice in its own event: as the message, and as that of its formatted log entry.
    def once(text) = text.scan(/"(?:message|body)":"(t\d+x\d+)"/).join("\n")
  end
end
