# frozen_string_literal: true

require "fileutils"
require "json"
require "open3"
require_relative "prepared_app"

module Bench
  # Makes a prepared folder (PreparedApp) of a checkout of a Rails application: its Gemfile with the servers added, its
  # gems in this project's vendor/bundle, assets, a database of examples. It is idempotent.
  class Preparation
    BEFORE_FORK = "ActiveRecord::Base.connection_handler.clear_all_connections!"
    GEMFILE = "Gemfile.bench"

    # environment: variables of its servers. seed: a program for `rails runner`, which fills the database if it is empty
    # and prints a cookie. facts: the other facts of a PreparedApp.
    #: (String, environment: Hash[String, String], seed: String, **untyped) -> void
    def initialize(folder, environment:, seed:, **facts)
      @folder = File.expand_path(folder)
      @gemfile = File.join(@folder, GEMFILE)
      @environment = { "BUNDLE_WITHOUT" => "development:test", **environment }
      @seed = seed
      @facts = facts
    end

    #: () -> void
    def call
      add_servers
      run("bundle", "install", "--quiet")
      run("bundle", "exec", "rails", "db:prepare", "assets:precompile")
      describe(run("bundle", "exec", "rails", "runner", @seed).lines.last.chomp)
    end

    private

    # Whatever Ruby the application asks for, the benchmark runs on its own.
    def add_servers
      File.write(@gemfile, <<~RUBY)
        eval_gemfile "Gemfile"
        ruby RUBY_VERSION
        gem "coppice", path: #{Setup::ROOT.dump}
        gem "pitchfork", "0.18.2"
      RUBY
      FileUtils.cp("#{@folder}/Gemfile.lock", "#{@gemfile}.lock") unless File.exist?("#{@gemfile}.lock")
    end

    def run(*command)
      warn "prepare: #{command.join(" ")}"
      variables = { **Setup.environment(@gemfile), **@environment, "BUNDLE_FROZEN" => nil }
      output, status = Open3.capture2e(variables, *command, chdir: @folder)
      status.success? ? output : abort("prepare: #{command.join(" ")} failed:\n#{output}")
    end

    def describe(cookie)
      facts = { **@facts, rackup: "config.ru", gemfile: GEMFILE, headers: ["Cookie: #{cookie}"],
                before_fork: BEFORE_FORK, environment: @environment }
      File.write(File.join(@folder, PreparedApp::FILE), JSON.pretty_generate(facts))
    end
  end
end
