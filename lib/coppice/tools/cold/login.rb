# frozen_string_literal: true

require "coppice/tools/cold/fork"
require "coppice/tools/cold/play"
require "coppice/http/cookie_jar"

module Coppice
  module Cold
    # Calls the block of warm_up_requests before the plays, so that it can log in. It is called in a fork of its own,
    # because what it loads would not count as part of a first play. For the block it is the client.
    class Login
      #: (process: Standalone, settings: Config::Settings, host: String, headers: Hash[String, String]) -> void
      def initialize(process:, settings:, host:, headers:)
        @process = process
        @settings = settings
        @host = host
        @headers = headers
        @cookies = Http::CookieJar.new
      end

      # The header Cookie that the responses make; nil for none. Raises PlayFailed if the block fails or hangs.
      #: () -> String?
      def cookie
        @process.hook(:before_fork)
        Fork.new(@settings.boot_timeout).call do
          @worker = @process.become_worker
          Play.prepare
          @settings.hook(:on_warm_up).call(self)
          @cookies.header
        end
      end

      # As Worker::Rehearsal#get.
      #: (String, ?Hash[untyped, String], **String) -> Integer
      def get(path, headers = {}, **more) = request("GET", path, headers.merge(more))

      # As Worker::Rehearsal#request.
      #: (String, String, ?Hash[untyped, String], ?String) -> Integer
      def request(method, path, headers = {}, body = "")
        own = headers.to_h { |name, value| [name.to_s.downcase, value] }
        play = Play.new(app: @process.app, worker: @worker, path: path, host: @host, seconds: @settings.timeout,
                        headers: { "cookie" => @cookies.header, **@headers, **own }.compact)
        outcome = play.call(method, body) { |fields| @cookies.store(fields) }
        outcome.status || 500
      end
    end
  end
end
