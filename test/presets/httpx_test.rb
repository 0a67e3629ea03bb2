# frozen_string_literal: true

require_relative "support/http_client_test_case"

module Coppice
  class HttpxPresetTest < HttpClientTestCase
    APP = <<~'RUBY'
      require "httpx"
      HTTP = HTTPX.plugin(:persistent).with(ssl: { verify_mode: OpenSSL::SSL::VERIFY_NONE })
      HTTP.get("#{ENV.fetch("ECHO")}/boot") if ENV["AT_BOOT"]
      run ->(env) { [200, {}, ["#{HTTP.post("#{ENV.fetch("ECHO")}/#{env["QUERY_STRING"]}")} #{Process.pid}"]] }
    RUBY

    # With TLS the broken connection is noticed, and the session tries again with a new one. An answer that belongs to
    # no request of this process is an error within the library.
    test_client APP, preset: :httpx, fails_without: [false], with: /#{SHARED}|: 500 NoMethodError: /
  end
end
