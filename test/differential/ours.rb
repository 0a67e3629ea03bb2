# frozen_string_literal: true

require "support/http_harness"
require_relative "peers/rack_env"

module Coppice
  # Reads requests with Coppice: what the application gets of a request, or why it is not called.
  class Ours
    def initialize #: () -> void
      @harness = HttpHarness.new do |env|
        @reading = { accepted: true, **Peers::RackEnv.reading(env, env["rack.input"].read) }
        [204, {}, []]
      end
    end

    def read(request) #: (String) -> Hash[Symbol, untyped]
      @reading = nil
      @harness.log.entries.clear
      @harness.with_client(sent: request) do |client|
        client.close_write
        client.read
      end
      @reading || { accepted: false, why: reason }
    end

    private

    # Coppice refuses a request only once it is wrong. If there is no reason, the request is incomplete.
    def reason
      entry = @harness.log.entries.find { |_level, message, _fields| message == "request refused" }
      entry ? entry.last.fetch(:why) : "it is not complete"
    end
  end
end
