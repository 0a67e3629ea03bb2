# frozen_string_literal: true

require "socket"
require "support/documentation"
require_relative "support/preset_test_case"
require_relative "support/renewed_service"

module Coppice
  class SidekiqPresetTest < PresetTestCase
    include RenewedService

    APP = <<~'RUBY'
      require "sidekiq"
      Sidekiq.configure_client do |config|
        config.redis = { url: "unix://#{ENV.fetch("REDIS")}", timeout: 60 }
        config.logger.level = 4
      end
      class Job
        include Sidekiq::Job
        def perform(token) = File.write(ENV.fetch("NOTES"), "#{token}\n", mode: "a")
      end
      run(lambda do |env|
        Job.perform_async(env["QUERY_STRING"])
        [200, {}, ["#{env["QUERY_STRING"]} - #{Process.pid}"]]
      end)
    RUBY

    EMBEDDED = Documentation.new("services.md").block("Sidekiq")

    test "each process enqueues each job once" do
      with_service(:redis) do |redis|
        assert_delivers(APP, env: { "REDIS" => redis.path("socket") }) { jobs(redis) }
      end
    end

    test "an embedded Sidekiq in a service runs each job of each process once, over reforks" do
      with_notes { |env, notes| assert_delivers(APP, env: env, config: EMBEDDED, &notes) }
    end

    test "it runs each job once, to its end, when it is replaced after each refork" do
      with_notes { |env, notes| assert_renewed(APP, env: env, config: EMBEDDED, &notes) }
    end

    private

    def with_notes
      with_service(:redis) do |redis|
        with_tmpdir do |folder|
          notes = File.join(folder, "notes").tap { |path| File.write(path, "") }
          yield({ "REDIS" => redis.path("socket"), "NOTES" => notes }, -> { File.binread(notes) })
        end
      end
    end

    # All of the queue: the end of the answer is not parsed, so the connection is closed from here.
    def jobs(redis)
      UNIXSocket.open(redis.path("socket")) do |socket|
        socket.write("LRANGE queue:default 0 -1\r\nQUIT\r\n")
        socket.read
      end
    end
  end
end
