# frozen_string_literal: true

require_relative "support/http_client_test_case"

module Coppice
  class NetHttpPresetTest < HttpClientTestCase
    # POST: Net::HTTP repeats a GET by itself, which would hide a broken connection.
    APP = <<~'RUBY'
      require "net/http"
      def http
        return $http if $http
        url = URI(ENV.fetch("ECHO"))
        $http = Net::HTTP.new(url.host, url.port)
        $http.keep_alive_timeout = 60 # seconds; the default is 2
        $http.use_ssl = url.scheme == "https"
        $http.verify_mode = OpenSSL::SSL::VERIFY_NONE if $http.use_ssl?
        $http.start
      end
      http if ENV["AT_BOOT"]
      run ->(env) { [200, {}, ["#{http.post("/#{env["QUERY_STRING"]}", "").body} #{Process.pid}"]] }
    RUBY

    test_client APP, preset: :net_http
  end
end
