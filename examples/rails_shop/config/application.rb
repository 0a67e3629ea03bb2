# frozen_string_literal: true

require_relative "boot"

require "rails"
require "active_record/railtie"
require "action_controller/railtie"
require "action_view/railtie"

Bundler.require(*Rails.groups)

module RailsShop
  class Application < Rails::Application
    # bin/prepare writes the secret, so that the shop runs without any manual configuration.
    SECRET_FILE = root.join("storage/secret_key_base")

    config.load_defaults 7.2
    config.time_zone = "UTC"
    config.hosts.clear
    config.generators.system_tests = nil
    config.secret_key_base = ENV["SECRET_KEY_BASE"] || (SECRET_FILE.read.strip if SECRET_FILE.exist?)

    if ENV["RAILS_LOG_TO_STDOUT"].present?
      config.logger = ActiveSupport::TaggedLogging.new(ActiveSupport::Logger.new($stdout))
    end
  end
end
