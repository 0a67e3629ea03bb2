# frozen_string_literal: true

require "open3"
require "support/without_bundler"

module Coppice
  # A Rails application as `rails new` makes it, with a page that uses the database, the cache, the queue and the cable.
  # Its gems are those of test/presets/rails.
  module NewRailsApplication
    FOLDER = File.expand_path("../rails", __dir__)
    ENVIRONMENT = WITHOUT_BUNDLER.merge("BUNDLE_GEMFILE" => "#{FOLDER}/Gemfile",
      "RAILS_ENV" => "production", "SECRET_KEY_BASE_DUMMY" => "1", "SOLID_QUEUE_IN_PUMA" => nil).freeze
    # What `rails new` runs after `bundle install`.
    INSTALLERS = %w[importmap:install turbo:install stimulus:install solid_cache:install solid_queue:install
                    solid_cable:install].freeze
    PAGE = <<~RUBY
      class NotesController < ApplicationController
        def index
          GreetingJob.perform_later
          ActionCable.server.broadcast("notes", "hello")
          render plain: Rails.cache.fetch("notes", expires_in: 0.1.seconds) { Note.create!(text: "hello").text }
        end
      end
    RUBY
    JOB = <<~RUBY
      class GreetingJob < ApplicationJob
        def perform = FileUtils.touch(Rails.root.join("tmp/greeted"))
      end
    RUBY

    private

    def make(application)
      run_in(FOLDER, "rails", "new", application, "--skip-bundle", "--skip-git", "--quiet")
      run_in(application, "bin/rails", *INSTALLERS)
      run_in(application, "bin/rails", "generate", "model", "note", "text:string", "--quiet")
      { "app/controllers/notes_controller.rb" => PAGE, "app/jobs/greeting_job.rb" => JOB,
        "config/routes.rb" => 'Rails.application.routes.draw { root "notes#index"; get "up" => "rails/health#show" }' }
        .each { |path, text| File.write(File.join(application, path), text) }
      let_databases_wait("#{application}/config/database.yml")
      run_in(application, "bin/rails", "db:prepare")
    end

    # For a process that stands still while it writes: the five seconds of `rails new` are one pause of a busy machine.
    def let_databases_wait(path) = File.write(path, File.read(path).sub(/timeout: 5000$/, "timeout: 50000"))

    def run_in(folder, *command, env: {})
      output, status = Open3.capture2e(ENVIRONMENT.merge(env), "bundle", "exec", *command, chdir: folder)
      assert_predicate status, :success?, output
    end
  end
end
