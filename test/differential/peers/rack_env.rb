# frozen_string_literal: true

module Peers
  # A Rack env as a reading.
  module RackEnv
    # Variables that the server itself adds, and those that are compared by their effect on the body.
    LEFT_OUT = %w[HTTP_HOST HTTP_VERSION HTTP_TRANSFER_ENCODING].freeze

    #: (Hash[String, untyped], String) -> Hash[Symbol, untyped]
    def self.reading(env, body)
      fields = env.select { |key, _| (key.start_with?("HTTP_") && !LEFT_OUT.include?(key)) || key == "CONTENT_TYPE" }
      { verb: env["REQUEST_METHOD"], target: env["REQUEST_URI"], path: env["PATH_INFO"],
        query: env["QUERY_STRING"].to_s, host: env["HTTP_HOST"], body: body,
        fields: fields.transform_keys { |key| key.delete_prefix("HTTP_") } }
    end
  end
end
