# frozen_string_literal: true

require "fileutils"
require_relative "../../support/example_shop"

# Copies of the example shop, each a release with a version that its answers show. They share the data.
class ShopReleases
  SHOP = ExampleShop::FOLDER
  COPIED = %w[app config db lib public].freeze
  SHARED = "storage"

  # The answer also has the request's query, so that a client notices the answer of another request.
  APP = <<~RUBY
    require_relative "config/environment"

    class ShowVersion
      VERSION = File.read(File.expand_path("REVISION", __dir__)).freeze

      def initialize(app) = @app = app

      def call(env)
        status, headers, body = @app.call(env)
        [status, headers.merge("x-version" => VERSION, "x-query" => env["QUERY_STRING"]), body]
      end
    end

    use Rack::ContentLength
    use ShowVersion
    run Rails.application
    Rails.application.load_server
  RUBY

  # folder: for the releases, and the server's socket.
  #: (String) -> void
  def initialize(folder)
    @folder = File.realpath(folder)
  end

  #: () -> String
  def socket = File.join(@folder, "socket")

  # The directory of a new release. config: further lines of its configuration.
  #: (String, config: String) -> String
  def make(version, config:)
    directory = File.join(@folder, version)
    FileUtils.mkdir_p(File.join(directory, "log"))
    COPIED.each { |name| FileUtils.cp_r(File.join(SHOP, name), directory) }
    File.symlink(File.join(SHOP, SHARED), File.join(directory, SHARED))
    File.write(File.join(directory, "REVISION"), version)
    File.write(File.join(directory, "config.ru"), APP)
    File.write(File.join(directory, "config/coppice.rb"), <<~RUBY)
      listen #{socket.inspect}, lobby: true
      before_fork { |_server| ActiveRecord::Base.connection_handler.clear_all_connections!(:all) }
      #{config}
    RUBY
    directory
  end
end
