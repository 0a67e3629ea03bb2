# frozen_string_literal: true

require "coppice/errors"
require "coppice/coppice_ext"

module Coppice
  # The Rack side of the server: from a client's request to env, and from the application's answer to a response. The C
  # class Connection reads and writes the bytes.
  module Http
    # Whether the application was written for Rack 2, whose rules for a response differ.
    #: () -> bool
    def self.rack2? = defined?(::Rack.release) ? ::Rack.release.to_i < 3 : false

    # What a client may ask of the server, in bytes, lines and seconds. A value; Connection reads it once.
    Limits = Struct.new(
      :request_line_bytes, # 414 beyond
      :header_bytes,       # of the whole head: 431 beyond
      :header_count,       # header lines: 431 beyond
      :body_bytes,         # decoded: 413 beyond; nil for no limit
      :header_timeout,     # seconds for the whole head: 408 after
      :body_timeout,       # seconds between two pieces of the body: 408 after
      :write_timeout,      # seconds in which the client reads nothing: its connection is closed after
      :min_rate,           # bytes per second of a body in either direction, at least; nil for any rate
      keyword_init: true
    ) do
      #: (Config::Settings) -> Limits
      def self.from(settings)
        new(
          request_line_bytes: settings.max_request_line_bytes,
          header_bytes: settings.max_header_bytes,
          header_count: settings.max_header_count,
          body_bytes: settings.max_body_bytes,
          header_timeout: settings.client_header_timeout,
          body_timeout: settings.client_body_timeout,
          write_timeout: settings.client_write_timeout,
          min_rate: settings.client_min_rate
        ).freeze
      end
    end
  end
end

require "coppice/http/exchange"
