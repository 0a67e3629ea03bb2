# frozen_string_literal: true

require "support/documentation"
require_relative "support/preset_test_case"
require_relative "support/rails_app"
require_relative "support/renewed_service"

module Coppice
  class SolidQueuePresetTest < PresetTestCase
    include RailsApp
    include RenewedService

    # A job notes its token.
    APP = RailsApp.text("solid_queue", setup: "App.config.active_job.queue_adapter = :solid_queue", body: <<~'BODY')
      class Job < ActiveJob::Base
        def perform(token) = (File.write(ENV["NOTES"], "#{token}\n", mode: "a") if ENV["NOTES"])
      end
      run(lambda do |env|
        Job.perform_later(env["QUERY_STRING"])
        [200, {}, ["#{env["QUERY_STRING"]} - #{Process.pid}"]]
      end)
    BODY

    SUPERVISOR = Documentation.new("services.md").block("Solid Queue")

    test "each process enqueues each job once" do
      with_sqlite do |env, rows|
        assert_delivers(APP, env: env) { rows.call("SELECT arguments FROM solid_queue_jobs") }
      end
    end

    test "the supervisor in a service outlives reforks, runs each job once, and is there again after it was killed" do
      with_notes do |env, notes|
        assert_survives(APP, env: env.merge("SOLID_QUEUE_IN_PUMA" => "true"), config: SUPERVISOR) do |server, traffic|
          traffic.stop
          wait_for_jobs(notes, traffic.tokens.keys)
          service = server.rows(:service).first

          assert_equal [0, "solid_queue"], [service.generation, service.service_name]
          first = service.pid
          children = server.children(first)
          server.signal(:KILL, to: first)
          server.wait(LONG, "the next service") { server.rows(:service).any? { |row| row.ready? && row.pid != first } }

          refute_empty children
          eventually(60, "its processes live on") { children.none? { |pid| File.exist?("/proc/#{pid}") } }
          server.get("/?t9x9")
          wait_for_jobs(notes, ["t9x9"])

          assert_empty(arrived(notes).select { |_, count| count > 1 })
        end
      end
    end

    ["", "(mode: :async)"].each do |mode|
      test "start#{mode} runs each job once, to its end, when it is replaced after each refork" do
        with_notes do |env, notes|
          config = SUPERVISOR.sub("Supervisor.start", "\\0#{mode}")
          assert_renewed(APP, env: env.merge("SOLID_QUEUE_IN_PUMA" => "true"), config: config, &notes)
        end
      end
    end

    private

    def wait_for_jobs(notes, tokens)
      eventually(60, "not all jobs have run") { (tokens - arrived(notes).keys).empty? }
    end

    def with_notes
      with_sqlite do |env|
        with_tmpdir do |folder|
          notes = File.join(folder, "notes").tap { |path| File.write(path, "") }
          yield env.merge("NOTES" => notes), -> { File.binread(notes) }
        end
      end
    end
  end
end
