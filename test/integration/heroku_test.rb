# frozen_string_literal: true

# lane: soak -- sets a dyno up for each test

require "test_helper"
require_relative "../support/documentation"
require_relative "../support/gate"
require_relative "../support/loopback_ports"
require_relative "../support/raw_client"
require_relative "../support/server"

# A dyno of make-believe: the variables that Heroku sets, the Procfile of docs/deployment.md, and TERM to every process.
class HerokuTest < Coppice::TestCase
  PAGE = Coppice::Documentation.new("deployment.md")
  GEMFILE = File.expand_path("../../Gemfile", __dir__)

  # Started as the Procfile says.
  class Dyno < Server
    PROCESS = PAGE.block("Procfile")[/^web: (.*)$/, 1]

    def command = ["/bin/sh", "-c", "exec #{PROCESS} \"$@\"", "sh"]
  end

  APP = <<~RUBY.freeze
    run(lambda do |env|
      #{Gate.code('gate')} if env["PATH_INFO"] == "/held"
      [200, { "content-type" => "text/plain" }, [ENV.fetch("RACK_ENV")]]
    end)
  RUBY

  def with_dyno(concurrency)
    port, = LoopbackPorts.free(1)
    env = { "DYNO" => "web.1", "PORT" => port.to_s, "WEB_CONCURRENCY" => concurrency, "RACK_ENV" => "production",
            "BUNDLE_GEMFILE" => GEMFILE }
    Dyno.open(app: APP, config: PAGE.block("config/coppice.rb on Heroku"), env: env) { |server| yield server, port }
  end

  # Yields while the application does not answer.
  def held_request(port, server, &block)
    RawClient.on(TCPSocket.new("127.0.0.1", port)) do |client|
      Gate.new(server.path("gate")).closed do
        client.write("GET /held HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        server.wait { server.ready_workers.any? { |row| row.started_ms.positive? } }
        block.call
      end
      client.answer
    end
  end

  test "the Procfile's server listens on PORT, and answers the request in flight when all processes get TERM" do
    with_dyno("3") do |server, port|
      assert_equal 3, server.ready_workers.size
      answer = held_request(port, server) do
        server.signal_all(:TERM)
        server.wait { server.board.shutting_down == 1 }
      end

      assert_equal [200, "production"], [answer.status, answer.body]
      assert_equal 0, server.wait_for_end.exitstatus
    end
  end

  test "with WEB_CONCURRENCY=auto there are two workers at least" do
    with_dyno("auto") { |server, _| assert_operator server.ready_workers.size, :>=, 2 }
  end
end
