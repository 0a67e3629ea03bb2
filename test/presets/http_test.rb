# frozen_string_literal: true

require_relative "support/http_client_test_case"

module Coppice
  class HttpPresetTest < HttpClientTestCase
    APP = <<~'RUBY'
      require "http"
      CLIENT = HTTP.persistent(ENV.fetch("ECHO"), timeout: 60) # seconds that a connection is kept; the default is 5
      TLS = OpenSSL::SSL::SSLContext.new.tap { |context| context.verify_mode = OpenSSL::SSL::VERIFY_NONE }
      def echo(token) = CLIENT.post("/#{token}", ssl_context: TLS).to_s
      echo("boot") if ENV["AT_BOOT"]
      run ->(env) { [200, {}, ["#{echo(env["QUERY_STRING"])} #{Process.pid}"]] }
    RUBY

    test_client APP, preset: :http
  end
end
