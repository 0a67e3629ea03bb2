# frozen_string_literal: true

require_relative "support/preset_test_case"
require_relative "support/collectors"

module Coppice
  # The gem is the real one, but for the library that its installation downloads: see support/appsignal. What the gem
  # records goes to that library, or with `collector_endpoint` through OpenTelemetry.
  class AppsignalPresetTest < PresetTestCase
    EXTENSION = File.expand_path("support/appsignal", __dir__)
    APP = <<~RUBY.freeze
      $LOAD_PATH.unshift(#{EXTENSION.dump})
      require "appsignal"
      Appsignal.configure(:production) do |config|
        config.active = true
        config.name = "shop"
        config.push_api_key = "key"
        config.log = "stdout"
        config.enable_minutely_probes = false
        config.collector_endpoint = ENV["COLLECTOR"] if ENV["COLLECTOR"]
      end
      Appsignal.start
      run(lambda do |env|
        token = env["QUERY_STRING"]
        Appsignal.monitor(action: token) { nil }
        started = File.readlines(ENV.fetch("STARTS"), chomp: true).include?(Process.pid.to_s)
        next [500, {}, ["AppSignal::NotStarted: by \#{Process.pid}"]] unless started
        [200, {}, ["\#{token} - \#{Process.pid}"]]
      end)
    RUBY

    test "it is started again in every worker" do
      with_starts { |env| assert_survives(APP, env: env) }
    end

    test "without the preset a copy takes it for started" do
      with_starts { |env| assert_fails_without(:appsignal, APP, with: /AppSignal::NotStarted/, env: env) }
    end

    test "each worker delivers what it has recorded to a collector, each once" do
      with_starts do |env|
        Collectors.http do |collector, received|
          env = env.merge("COLLECTOR" => collector.url, "OTEL_BSP_SCHEDULE_DELAY" => "50")
          assert_delivers(APP, env: env, &received)
        end
      end
    end

    private

    def with_starts
      with_tmpdir do |folder|
        starts = File.join(folder, "starts").tap { |path| File.write(path, "") }
        yield({ "STARTS" => starts })
      end
    end
  end
end
