# frozen_string_literal: true

require "rack/handler"
require "coppice/rackup/handler"

module Rack
  module Handler
    # `rackup -s coppice` and `rails server` with Rack 2.
    module Coppice
      extend ::Coppice::Rackup::Handler
    end

    register :coppice, Coppice
  end
end

require "coppice/rackup/rails_server" if defined?(Rails::Server)
