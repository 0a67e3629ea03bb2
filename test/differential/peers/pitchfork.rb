# frozen_string_literal: true

require "pitchfork"
require "pitchfork/http_parser"
require_relative "rack_env"

module Peers
  # Pitchfork::HttpParser and the input that it reads bodies with.
  class Pitchfork
    def read(socket) #: (Socket) -> Hash[Symbol, untyped]
      env = ::Pitchfork::HttpParser.new.read(socket)
      RackEnv.reading(env, env["rack.input"].read)
    end
  end
end
