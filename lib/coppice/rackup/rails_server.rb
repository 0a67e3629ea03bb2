# frozen_string_literal: true

require "active_support"
require "active_support/lazy_load_hooks"
require "coppice/rackup/handler"

# `rails server` loads the gems, asks for its handler, and then initializes the application. In production the process
# would have to do that again, in a mold: so the process is replaced before.
ActiveSupport.on_load(:before_initialize) do
  server = ObjectSpace.each_object(::Rails::Server).first
  next unless server && server.server.to_s.end_with?("::Handler::Coppice")

  Coppice::Rackup::Handler.replace_early(server.options)
end
