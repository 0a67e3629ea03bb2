# frozen_string_literal: true

require "protocol/http1/connection"
require_relative "rack_env"

module Peers
  # Protocol::HTTP1::Connection, which Falcon reads requests with. It has no Rack env and does not split the target.
  class Falcon
    def read(socket) #: (Socket) -> Hash[Symbol, untyped]
      host, verb, target, _version, headers, body = Protocol::HTTP1::Connection.new(socket).read_request
      raise EOFError, "no request" unless verb

      { verb: verb, target: target, host: host, fields: fields(headers), body: body&.join.to_s }
    end

    private

    def fields(headers)
      pairs = headers.fields.map { |name, value| [name.upcase.tr("-", "_"), value] }
      pairs.group_by(&:first).transform_values { |same| same.map(&:last).join(", ") }
    end
  end
end
