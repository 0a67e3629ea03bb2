# frozen_string_literal: true

require "open3"

module Coppice
  # The smallest Rails application that a library with a railtie can be part of, in the server's folder.
  module RailsApp
    START = <<~'RUBY'
      require "logger"
      require "rails"
      require "active_record/railtie"
      require "active_job/railtie"
      class App < Rails::Application
        config.root = __dir__
        config.eager_load = true
        config.logger = Logger.new(File::NULL)
        config.secret_key_base = "secret"
      end
    RUBY
    LOAD_SCHEMA = <<~'RUBY'
      ActiveRecord::Schema.verbose = false
      load Dir[File.join(Gem.loaded_specs[LIBRARY].full_gem_path, "lib/generators/*/install/templates/db/*_schema.rb")].first
    RUBY

    # The text of a config.ru. `library` is required, `setup` is called with the class of the application before it is
    # initialized; then the template of a schema that the library has, if any, is loaded, and `body` runs.
    def self.text(library, setup: "", schema: true, body: "")
      <<~RUBY
        LIBRARY = #{library.inspect}
        #{START}
        require LIBRARY
        #{setup}
        App.initialize!
        #{LOAD_SCHEMA if schema}
        #{body}
      RUBY
    end

    # Yields the environment of an application with a new SQLite database, and a lambda that answers the rows
    # of a query, one a line.
    def with_sqlite
      with_tmpdir do |folder|
        path = File.join(folder, "test.sqlite3")
        yield({ "DATABASE_URL" => "sqlite3:#{path}?timeout=50000" }, ->(query) { rows(path, query) })
      end
    end

    private

    # The gem is in the application's bundle only.
    def rows(path, query)
      program = <<~'PROGRAM'
        database = SQLite3::Database.new(ARGV.first).tap { |one| one.busy_timeout = 50_000 }
        puts database.execute(ARGV.last).map { |row| row.join(" ") }
      PROGRAM
      text, status = Open3.capture2(environment, "bundle", "exec", "ruby", "-rsqlite3", "-e", program, path, query)
      status.success? ? text : raise("#{query}: #{status}")
    end
  end
end
