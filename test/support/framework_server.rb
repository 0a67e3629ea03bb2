# frozen_string_literal: true

require "bundler"
require_relative "server"
require_relative "without_bundler"

# A server of one of the applications in test/frameworks, started as its user would: with the bundle of its own Gemfile.
class FrameworkServer < Server
  FOLDER = File.expand_path("../frameworks", __dir__)

  def self.open(framework, config: "", &block)
    folder = File.join(FOLDER, framework)
    super(app: nil, folder: folder, config: config, env: environment(folder), &block)
  end

  def self.environment(folder)
    WITHOUT_BUNDLER.merge("BUNDLE_GEMFILE" => File.join(folder, "Gemfile"), "HANAMI_ENV" => "production")
  end
  private_class_method :environment

  private

  def command = %w[bundle exec coppice]
end
