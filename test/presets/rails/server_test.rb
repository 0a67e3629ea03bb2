# frozen_string_literal: true

require "net/http"
require "test_helper"
require "support/handler_server"
require "support/loopback_ports"
require_relative "../support/new_rails_application"

module Coppice
  # `bin/rails server` in a Rails application as `rails new` makes it, and the command of its container. Its bundle has
  # Puma as well, so the server is named.
  class NewRailsServerTest < TestCase
    include NewRailsApplication

    def setup
      skip "the gems are missing: bin/setup presets" unless ENV["COPPICE_PRESETS"]
    end

    test "it serves in development, and through Thruster in production, where its jobs run" do
      with_tmpdir do |folder|
        @application = File.join(folder, "shop")
        make(@application)
        run_in(@application, "bin/rails", "db:prepare", env: { "RAILS_ENV" => "development" })
        develop
        deploy
      end
    end

    private

    def develop
      serve("development", "bin/rails", "server", "-u", "coppice") do |server|
        assert_equal "hello", server.get("/").body
        assert_equal [server.pid], server.family
        server.signal(:INT)

        assert_equal 0, server.wait_for_end.exitstatus
        assert_equal 1, server.log.scan('Started GET "/"').size
      end
    end

    # The command of the Dockerfile, and the variable of config/deploy.yml.
    def deploy
      run_in(@application, "bin/rails", "generate", "coppice:install")
      port, inner = LoopbackPorts.free(2)
      program = ["bin/docker-entrypoint", "bundle", "exec", "thrust", "./bin/rails", "server", "-u", "coppice"]
      env = { "HTTP_PORT" => port.to_s, "TARGET_PORT" => inner.to_s, "SOLID_QUEUE_IN_PUMA" => "true" }
      serve("production", *program, env: env, ready: false) do |server|
        body = server.wait(120, "an answer") { answer_at(port) }
        server.wait(120, "a job that has run") { File.exist?("#{@application}/tmp/greeted") }
        monitor = server.children(server.pid).first
        family = [monitor, *server.children(monitor)]

        assert_equal "hello", body
        assert_includes File.read("/proc/#{monitor}/cmdline"), "coppice monitor"
        assert_equal 0, server.stop.exitstatus
        assert_empty(family.select { |pid| File.exist?("/proc/#{pid}") })
      end
    end

    def serve(environment, *program, env: {}, **options, &block)
      HandlerServer.open(app: nil, folder: @application, program: program,
        env: ENVIRONMENT.merge("RAILS_ENV" => environment, "RACK_ENV" => nil, **env), **options, &block)
    end

    # nil while nobody listens, or nobody behind Thruster.
    def answer_at(port)
      answer = Net::HTTP.start("127.0.0.1", port) { |http| http.get("/", "X-Forwarded-Proto" => "https") }
      answer.body if answer.code == "200"
    rescue Errno::ECONNREFUSED, Errno::ECONNRESET, EOFError
      nil
    end
  end
end
