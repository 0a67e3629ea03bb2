# frozen_string_literal: true

require_relative "setup"

module Bench
  # An application that loads lazily, the kind that benefits from reforks. `load`: options of the load generator;
  # `before_fork`: Ruby code that its server must run before it forks; `refork_after` and `points`: suitable counts of
  # requests, of one worker and of all workers; `page`: one path that does not wait.
  LazyApp = Struct.new(:name, :rackup, :gemfile, :load, :page, :before_fork, :refork_after, :points, :description,
    keyword_init: true) do
    # Arguments for the Plan of every server.
    #: () -> Hash[Symbol, untyped]
    def plan = { app: rackup, gemfile: gemfile, before_fork: before_fork }
  end

  # The lazy applications of this project, and the user's own.
  module LazyApps
    NAMES = %w[constants lazy allocating exports shop].freeze

    # A small application has loaded everything after few requests.
    SMALL = { refork_after: [50, 100, 200], points: [500, 2000] }.freeze
    # A Rails application continues to load for a long time; its last generation stays.
    RAILS = { refork_after: [50, 100, 500, false], points: [3000, 9000] }.freeze

    class << self
      # Raises Failure when an option for the user's application is missing.
      #: (Options) -> LazyApp
      def of(options) = options.own_app ? own(**options.own_app) : public_send(options.app)

      def constants #: () -> LazyApp
        LazyApp.new(name: "constants", rackup: "constants.ru", load: { path: "/page/{n}?wait=60" }, page: "/page/1",
          description: "An application of 100,000 constant caches, 1,000 filled by each of its 100 pages; a request " \
                       "waits 60 ms.", **SMALL)
      end

      def lazy #: () -> LazyApp
        LazyApp.new(name: "lazy", rackup: "lazy_object.ru", load: { path: "/object/{n}?wait=60" }, page: "/object/1",
          description: "An application that creates one big object of many small ones on its first request; a " \
                       "request waits 60 ms.", **SMALL)
      end

      # Results of different sizes, so that the garbage of one request differs from that of the next.
      def allocating #: () -> LazyApp
        paths = [100, 1000, 3000].map { |rows| "/results/{n}?rows=#{rows}" }
        LazyApp.new(name: "allocating", rackup: "allocating.ru", load: { path: paths.join(","), modulus: 100 },
          page: "/results/1?rows=1000",
          description: "An application that turns 100, 1,000 or 3,000 rows into JSON in each request, and keeps a " \
                       "part of them in a cache.", **SMALL)
      end

      def exports #: () -> LazyApp
        LazyApp.new(name: "exports", rackup: "exports.ru", load: { path: "/rows/{n}", modulus: 50 }, page: "/rows/1",
          description: "An application of small requests, one in 50 of which allocates 200 MiB.", **SMALL)
      end

      # The pages that a visitor reads. None of them writes to the database. The sales report is left out, because it
      # takes seconds of CPU.
      def shop #: () -> LazyApp
        paths = %w[/ /products /products/{n} /products/{n}?postcode=SA48 /api/products /api/products/{n} /cart]
        LazyApp.new(name: "shop", rackup: File.join(Setup::EXAMPLE, "config.ru"),
          gemfile: "Gemfile.shop", load: { path: paths.join(","), modulus: 100 }, page: "/products",
          before_fork: "ActiveRecord::Base.connection_handler.clear_all_connections!",
          description: "The example Rails application, #{paths.size} kinds of pages.", **RAILS)
      end

      private

      def own(rackup: nil, gemfile: nil, paths: ["/"], headers: nil, before_fork: nil, name: nil)
        raise Failure, "an application of your own needs --rackup" unless rackup

        name ||= File.basename(File.dirname(rackup))
        LazyApp.new(name: name, rackup: rackup, gemfile: gemfile,
          load: { path: paths.join(","), modulus: 100, header: headers }, page: paths.first.sub("{n}", "1"),
          before_fork: before_fork, description: "#{name}, #{paths.size} kinds of pages.", **RAILS)
      end
    end
  end
end
