# frozen_string_literal: true

require "coppice/errors"
require "coppice/coppice_ext"

module Coppice
  # The Rack side of the server: from a client's bytes to env, and from the application's
  # answer to bytes. Runs in workers. The bytes themselves are the C class Connection's.
  module Http
    # What an application may raise without being meant for the process: errors, missing code, endless recursion.
    APPLICATION_ERRORS = [StandardError, ScriptError, SystemStackError].freeze
  end
end

require "coppice/http/limits"
require "coppice/http/exchange"
