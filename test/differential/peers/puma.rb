# frozen_string_literal: true

require "puma"
require "puma/server"
require_relative "rack_env"

module Peers
  # Puma::HttpParser and the further checks of Puma::Client, called as Puma::Server calls them.
  class Puma
    def read(socket) #: (Socket) -> Hash[Symbol, untyped]
      client = ::Puma::Client.new(socket, {})
      client.supported_http_methods = ::Puma::Const::SUPPORTED_HTTP_METHODS.to_h { |name| [name, true] }
      nil until client.try_to_finish
      RackEnv.reading(client.env, client.body.read)
    ensure
      client&.tempfile_close
    end
  end
end
