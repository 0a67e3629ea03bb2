# frozen_string_literal: true

require_relative "setup"

module Bench
  # An application that fills itself lazily, the kind that reforking is for. `load`: what the load generator is told;
  # `before_fork`: Ruby that its server must run before it forks.
  LazyApp = Struct.new(:rackup, :gemfile, :load, :before_fork, :description, keyword_init: true) do
    # Raises KeyError for a name that is not known.
    #: (String) -> LazyApp
    def self.named(name) = { "constants" => constants, "shop" => shop }.fetch(name)

    def self.constants
      new(rackup: "constants.ru", load: { path: "/page/{n}?wait=60" },
        description: "An application of 100,000 constant caches, 1,000 filled by each of its 100 pages; a request waits 60 ms.")
    end

    # The pages that a visitor reads: none writes to the database. The sales report is left out, it takes seconds of CPU.
    def self.shop
      paths = %w[/ /products /products/{n} /products/{n}?postcode=SA48 /api/products /api/products/{n} /cart]
      new(rackup: File.join(Setup::ROOT, "examples/rails_shop/config.ru"), gemfile: "Gemfile.shop",
        load: { path: paths.join(","), modulus: 100 },
        before_fork: "ActiveRecord::Base.connection_handler.clear_all_connections!",
        description: "The example Rails application, #{paths.size} kinds of pages.")
    end
  end
end
