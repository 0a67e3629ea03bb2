# frozen_string_literal: true

require "capybara"
require "coppice"
require "coppice/config/settings"
require "coppice/listeners/set"
require "coppice/log"
require "coppice/threaded_server"

# `require "coppice/capybara"` in a test helper: Capybara serves the application under test with Coppice, on threads of
# the test process. It neither forks nor handles signals. Rails' system tests keep a server that is set.
Capybara.register_server(:coppice) do |app, port, host, threads: Coppice::ThreadedServer::THREADS|
  settings = Coppice::Config::Settings.new
  listeners = Coppice::Listeners::Set.bind([Coppice::Listeners::Address.parse("#{host}:#{port}")], environment: {})
  listeners.listen!
  Coppice::ThreadedServer.new(app, listeners: listeners.flat_map(&:sockets), settings: settings, threads: threads,
                              log: Coppice::Log.for(settings, role: :test)).start.join
ensure
  listeners&.close
end

Capybara.server = :coppice
