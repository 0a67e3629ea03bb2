# frozen_string_literal: true

require "rackup/handler"
require "coppice/rackup/handler"

module Rackup
  module Handler
    # `rackup -s coppice` and `rails server` with Rack 3. Registered by its constant.
    module Coppice
      extend ::Coppice::Rackup::Handler
    end

    register :coppice, Coppice
  end
end

require "coppice/rackup/rails_server" if defined?(Rails::Server)
