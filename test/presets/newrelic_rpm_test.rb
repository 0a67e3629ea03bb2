# frozen_string_literal: true

require "json"
require_relative "support/preset_test_case"
require_relative "support/collectors"
require "support/documentation"

module Coppice
  class NewrelicRpmPresetTest < PresetTestCase
    APP = <<~'RUBY'
      require "newrelic_rpm"
      run(lambda do |env|
        NewRelic::Agent::Tracer.in_transaction(partial_name: "request", category: :rack) do
          NewRelic::Agent.record_custom_event("Token", token: env["QUERY_STRING"])
        end
        [200, {}, ["#{env["QUERY_STRING"]} - #{Process.pid}"]]
      end)
    RUBY
    SETTINGS = { agent_run_id: "1", data_report_period: 1, event_harvest_config: {
      report_period_ms: 1000, harvest_limits: { analytic_event_data: 10, custom_event_data: 5000 }
    } }.freeze

    test "with the dispatcher that the preset names, each worker reports its events, each once" do
      with_collector { |env, received, _starts| assert_delivers(APP, env: env, &received) }
    end

    test "with that dispatcher, the agent starts in workers only" do
      with_collector do |env, _received, starts|
        assert_survives(APP, env: env) do |server, traffic|
          workers = server.ready_workers.map(&:pid)
          eventually(60) { (workers - starts).empty? }
          traffic.stop

          assert_empty starts - traffic.tokens.values
          assert_equal starts.uniq, starts
        end
      end
    end

    test "a service reports with the line that docs/fork_safety.md has for it, and also what is left when it exits" do
      service = <<~'RUBY'
        service :jobs, timeout: 30 do |_server, service|
          NewRelic::Agent.after_fork(force_reconnect: true)
          NewRelic::Agent.record_custom_event("Token", token: "t98x#{service.generation}")
          sleep
        ensure
          NewRelic::Agent.record_custom_event("Token", token: "t99x#{service.generation}")
        end
      RUBY
      with_collector do |env, received, _starts|
        assert_survives(APP, env: env, config: service) do |server, traffic|
          traffic.stop
          last = server.wait { server.rows(:service).first }.generation
          eventually(60, "the service reports nothing") { arrived(received).key?("t98x#{last}") }
          server.stop

          expected = { "t98x#{last}" => 1, "t99x#{last}" => 1 }
          assert_equal expected, arrived(received).slice(*expected.keys)
        end
      end
    end

    test "the observer reports what docs/monitoring.md lets it report, also with that dispatcher" do
      config = Documentation.new("monitoring.md").block("New Relic (newrelic_rpm)", "every: 60" => "every: 1")
      with_collector do |env, received, _starts|
        assert_survives(APP, env: env, config: config, last_generation: 0) do
          eventually(60, "no metric has arrived") { received.call.include?("Custom/Coppice/pss") }
        end
      end
    end

    # An event that is recorded right before the fork: those of requests may just have been sent. And by an agent that
    # has been told where to send it, which takes longer than a few requests: otherwise its copy keeps it for itself.
    test "without the preset a mold sends its copies" do
      config = <<~'RUBY'
        fork_safety_presets except: [:newrelic_rpm]
        before_fork do
          agent = ::NewRelic::Agent.agent
          IO.select(nil, nil, nil, 0.01) while agent.started? && !agent.connected?
          ::NewRelic::Agent.record_custom_event("Token", token: "t97x#{rand(1 << 60)}")
        end
      RUBY
      with_collector do |env, received, _starts|
        refute_delivers(APP, twice: true, env: env, config: config, &received)
      end
    end

    private

    # Yields the environment, what answers all that was received, and the pids of the processes that have started to
    # report.
    def with_collector
      starts = []
      answer = lambda do |path, body|
        starts << JSON.parse(body).first.fetch("pid") if path.include?("method=connect")
        JSON.generate(return_value: answer_to(path[/method=(\w+)/, 1]))
      end
      Collectors.http(tls: true, answer: answer) do |server, received|
        with_tmpdir do |folder|
          certificate = File.join(folder, "certificate").tap { |path| File.write(path, server.certificate) }
          yield environment_for(server, certificate), received, starts
        end
      end
    end

    def answer_to(method)
      case method
      when "preconnect" then { redirect_host: "127.0.0.1" }
      when "connect" then SETTINGS
      else []
      end
    end

    def environment_for(server, certificate)
      { "NEW_RELIC_LICENSE_KEY" => "0" * 40, "NEW_RELIC_APP_NAME" => "test", "NEW_RELIC_HOST" => "127.0.0.1",
        "NEW_RELIC_PORT" => server.port.to_s, "NEW_RELIC_LOG_FILE_PATH" => "STDOUT",
        "NEW_RELIC_DISPATCHER" => "unicorn", "SSL_CERT_FILE" => certificate }
    end
  end
end
