# frozen_string_literal: true

require_relative "server"

# The example shop, with the bundle that bin/setup has installed for this Ruby: from 3.4 on that of Rails 8.1, since the
# shop's own would have to be compiled.
module ExampleShop
  ROOT = File.expand_path("../..", __dir__)
  FOLDER = File.join(ROOT, "examples/rails_shop").freeze
  GEMFILE = File.join(ROOT, RUBY_VERSION < "3.4" ? "examples/rails_shop/Gemfile" : "gemfiles/rails-8.1.gemfile").freeze
  ENVIRONMENT = { "RAILS_ENV" => "production", "BUNDLE_GEMFILE" => GEMFILE }.freeze

  # Few, and of several kinds: each worker compiles each of them anew.
  PATHS = ["/products/7", "/api/products.json", "/up"].freeze

  # Yields a server of the shop, and stops it afterwards. config: beside `listen`.
  def self.serve(config, &block)
    Server.open(app: nil, folder: FOLDER, config: config, env: ENVIRONMENT, &block)
  end
end
