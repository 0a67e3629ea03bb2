# frozen_string_literal: true

require "support/http_harness"
require_relative "peers/rack_env"

module Coppice
  # What the application gets to see of a request, or why it is not called.
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

    # Nothing is refused before it is wrong: without a reason the request has no end.
    def reason
      entry = @harness.log.entries.find { |_level, message, _fields| message == "request refused" }
      entry ? entry.last.fetch(:why) : "it is not complete"
    end
  end
end
