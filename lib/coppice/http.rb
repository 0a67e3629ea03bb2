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
  end
end

require "coppice/http/exchange"
