# frozen_string_literal: true

require "support/documentation"
require_relative "support/preset_test_case"
require_relative "support/renewed_service"
require_relative "support/rails_app"

module Coppice
  class GoodJobPresetTest < PresetTestCase
    include RenewedService

    # A job notes its token.
    APP = RailsApp.text("good_job", schema: false, setup: <<~'SETUP', body: <<~'BODY')
      App.config.active_job.queue_adapter = :good_job
      App.config.good_job.execution_mode = ENV.fetch("MODE").to_sym
    SETUP
      require "erb"
      migration_version = "[#{ActiveRecord::Migration.current_version}]"
      migrations = File.join(Gem.loaded_specs["good_job"].full_gem_path, "lib/generators/good_job/templates/install/migrations")
      eval(ERB.new(File.read("#{migrations}/create_good_jobs.rb.erb")).result(binding))
      ActiveRecord::Migration.verbose = false
      CreateGoodJobs.migrate(:up)
      class Job < ActiveJob::Base
        def perform(token) = File.write(ENV.fetch("NOTES"), "#{token}\n", mode: "a")
      end
      run(lambda do |env|
        next [200, {}, [GoodJob::Job.where(finished_at: nil).count.to_s]] if env["PATH_INFO"] == "/unfinished"

        Job.perform_later(env["QUERY_STRING"])
        [200, {}, ["#{env["QUERY_STRING"]} - #{Process.pid}"]]
      end)
    BODY

    SERVICE = Documentation.new("services.md").block("GoodJob")

    CONFIG_OF_SERVICE = <<~RUBY
      before_service_worker_ready { GoodJob.capsule.start }
      before_service_worker_exit { GoodJob.shutdown } # else a job that is not finished runs again
    RUBY

    test "the service worker runs each job of each process once" do
      with_notes("external") do |env, notes|
        assert_delivers(APP, env: env, config: CONFIG_OF_SERVICE, &notes)
      end
    end

    test "a service outlives reforks, runs each job once, and is there again after it was killed" do
      with_notes("external") do |env, notes|
        assert_survives(APP, env: env, config: SERVICE) do |server, traffic|
          traffic.stop
          wait_for_jobs(notes, traffic.tokens.keys)
          eventually(60, "jobs are not finished") { server.get("/unfinished").body == "0" } # else they run again
          service = server.rows(:service).first

          assert_equal [0, "good_job"], [service.generation, service.service_name]
          first = service.pid
          server.signal(:KILL, to: first)
          server.wait(LONG, "the next service") { server.rows(:service).any? { |row| row.ready? && row.pid != first } }
          server.get("/?t9x9")
          wait_for_jobs(notes, ["t9x9"])

          assert_predicate server.stop, :success?
          assert_empty(arrived(notes).select { |_, count| count > 1 })
        end
      end
    end

    test "it runs each job once, to its end, when it is replaced after each refork" do
      with_notes("external") { |env, notes| assert_renewed(APP, env: env, config: SERVICE, &notes) }
    end

    test "threads that run jobs in workers do not survive a refork" do
      with_notes("async") { |env, notes| refute_delivers(APP, env: env, &notes) }
    end

    private

    def wait_for_jobs(notes, tokens)
      eventually(60, "not all jobs have run") { (tokens - arrived(notes).keys).empty? }
    end

    def with_notes(mode)
      with_service(:postgres) do |service|
        with_tmpdir do |folder|
          notes = File.join(folder, "notes").tap { |path| File.write(path, "") }
          yield({ "MODE" => mode, "NOTES" => notes, "PGHOST" => service.folder, "PGUSER" => "test",
                  "DATABASE_URL" => "postgresql:///postgres" }, -> { File.binread(notes) })
        end
      end
    end
  end
end
