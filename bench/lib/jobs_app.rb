# frozen_string_literal: true

require "fileutils"
require_relative "setup"

module Bench
  # A Rails application as `rails new` makes it, with Solid Queue, Solid Cable and Solid Cache on SQLite, and posts. Its
  # first page enqueues a job, which broadcasts to the cable. Made on first use; each server begins with a copy of its
  # first databases.
  class JobsApp
    FOLDER = File.join(Setup::FOLDER, "jobs_app").freeze
    GEMS = File.join(Setup::ROOT, "test/presets/rails").freeze
    GEMFILE = File.join(GEMS, "Gemfile").freeze
    ENVIRONMENT = { "SECRET_KEY_BASE_DUMMY" => "1", "RAILS_LOG_LEVEL" => "warn" }.freeze
    PATHS = %w[/ /posts /posts/{n}].freeze
    FIRST_DATABASES = File.join(FOLDER, "first_storage").freeze
    DATABASES = File.join(FOLDER, "storage").freeze
    INSTALLERS = %w[importmap:install turbo:install stimulus:install solid_cache:install solid_queue:install
                    solid_cable:install].freeze
    GENERATED = [%w[scaffold post title:string body:text], %w[model run active_job_id:string]].freeze
    FILES = {
      "app/controllers/home_controller.rb" => <<~RUBY,
        class HomeController < ApplicationController
          def index
            BroadcastJob.perform_later(Post.find(rand(1..100)))
            render plain: "enqueued"
          end

          def jobs
            runs = Run.pluck(:active_job_id)
            jobs = SolidQueue::Job.where(class_name: "BroadcastJob")
            render plain: [jobs.count, jobs.where(finished_at: nil).count, runs.size, runs.uniq.size].join(" ")
          end
        end
      RUBY
      "app/jobs/broadcast_job.rb" => <<~RUBY,
        class BroadcastJob < ApplicationJob
          def perform(post)
            Run.create!(active_job_id: job_id)
            ActionCable.server.broadcast("posts", PostsController.render(partial: "posts/post", locals: { post: post }))
          end
        end
      RUBY
      "config/routes.rb" => <<~RUBY,
        Rails.application.routes.draw do
          root "home#index"
          get "jobs" => "home#jobs"
          resources :posts
        end
      RUBY
      "db/seeds.rb" => 'Post.insert_all(Array.new(100) { |n| { title: n.to_s, body: "lorem ipsum " * 100 } })'
    }.freeze

    # Jobs so far: all, those that are not finished, runs, and the jobs that they are of.
    Jobs = Struct.new(:all, :unfinished, :runs, :run) do
      def lost = all - run #: () -> Integer
      def repeated = runs - run #: () -> Integer
    end

    class << self
      #: () -> void
      def prepare
        make unless File.exist?(FIRST_DATABASES)
        write_files
        FileUtils.rm_rf(DATABASES)
        FileUtils.cp_r(FIRST_DATABASES, DATABASES)
      end

      # Arguments for the Plan of every server.
      #: () -> Hash[Symbol, untyped]
      def plan
        { app: File.join(FOLDER, "config.ru"), gemfile: GEMFILE,
          before_fork: "ActiveRecord::Base.connection_handler.clear_all_connections!" }
      end

      #: (RunningServer) -> Jobs
      def jobs(server) = Jobs.new(*Net::HTTP.get("127.0.0.1", "/jobs", server.port).split.map(&:to_i))

      private

      def make
        FileUtils.rm_rf(FOLDER)
        run(GEMS, "rails", "new", FOLDER, "--skip-bundle", "--skip-git", "--quiet")
        run(FOLDER, "bin/rails", *INSTALLERS)
        GENERATED.each { |arguments| run(FOLDER, "bin/rails", "generate", *arguments, "--quiet") }
        write_files
        run(FOLDER, "bin/rails", "db:prepare", "assets:precompile")
        FileUtils.cp_r(DATABASES, FIRST_DATABASES)
      end

      def write_files = FILES.each { |path, text| File.write(File.join(FOLDER, path), text) }

      def run(folder, *command)
        warn "bench: #{command.join(" ")}"
        Setup.run("bundle", "exec", *command, env: Setup.environment(GEMFILE).merge(ENVIRONMENT), folder: folder)
      end
    end
  end
end
