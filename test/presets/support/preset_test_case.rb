# frozen_string_literal: true

require "bundler"
require "test_helper"
require "support/server"
require "support/without_bundler"
require_relative "services"
require_relative "traffic"

module Coppice
  # Serves a small application that uses one library, with the real gem, over three generations under traffic.
  #
  # The application answers "TOKEN CONNECTION PID" to /?TOKEN. TOKEN has travelled through the library and the service
  # behind it, CONNECTION is that service's name for the connection, or "-".
  class PresetTestCase < TestCase
    FOLDER = File.expand_path("..", __dir__)
    LAST_GENERATION = 2
    ANSWERS = 10 # from each worker of a generation

    # Seconds that a generation may take, and a server to boot. Two servers boot side by side, each with Bundler.
    LONG = 240

    # Net::HTTP loads OpenSSL in the thread that makes the first request. On a busy machine that takes longer than a
    # fork waits for a thread that loads code, and the copy would have half of it.
    LOAD_AT_BOOT = "require 'openssl'\n"

    # Answers what the library has raised, so that a test can tell one failure from another.
    SHOW_ERRORS = <<~'RUBY'
      use(Class.new do
        def initialize(app) = @app = app

        def call(env)
          @app.call(env)
        rescue StandardError => error
          [500, {}, ["#{error.class}: #{error.message}"]]
        end
      end)
    RUBY

    # A request goes through the library and the service behind it, and each process may have to wait for a processor.
    CONFIG = <<~RUBY
      worker_processes 2
      accept_order :fair
      timeout 60, cleanup: 1
      spawn_timeout 60
      refork_backoff 0
      log_level :debug
      after_worker_fork { IO.select(nil, nil, nil, 0.3) } # promoted workers serve some clients before they exit
    RUBY

    # What happens where two processes use one connection: one gets the other's answer, or none, or the library cannot
    # make sense of what it gets. Not the error of an application that uses the library wrongly.
    SHARED = /: (?:connection \S+ of \d+ was used by \d+|got "|500 [A-Z]\w*::\w+(?:::\w+)*: |503 )/

    # Where a copy is expected to hang, that is a failure soon: HUNG.
    IMPATIENT = "\ntimeout 10, cleanup: 1\n"
    HUNG = /: 503 /

    # A server with the gems of test/presets/Gemfile.
    class PresetServer < Server
      def wait_until_ready
        wait(LONG, "ready") { board && all_ready? && serving? }
      end

      private

      def command = %w[bundle exec coppice]
    end

    private

    # Skips the test when the gems are not installed.
    def setup
      super
      skip "the gems are missing: bin/setup presets" unless ENV["COPPICE_PRESETS"]
    end

    # Answers the failures of the traffic over the generations: none when everything works. Stops at the first one.
    # Yields the server and the traffic at the end.
    def failures_of(app, config: "", env: {}, last_generation: LAST_GENERATION)
      app = LOAD_AT_BOOT + SHOW_ERRORS + app
      PresetServer.open(app: app, config: CONFIG + config, env: environment.merge(env)) do |server|
        traffic = Traffic.new(server)
        traffic.run do
          (0..last_generation).each { |generation| serve(server, traffic, generation) }
        end
        yield server, traffic if block_given?
        traffic.failures
      end
    end

    def assert_survives(app, **options)
      failures_of(app, **options) do |server, traffic|
        assert_empty traffic.failures # while the server runs: its log is shown
        yield server, traffic if block_given?
      end
    end

    # Without these presets the first failure must be this one, otherwise the test of the preset proves nothing.
    def assert_fails_without(*presets, app, with: SHARED, **options)
      failures = failures_of(app, config: "#{IMPATIENT}fork_safety_presets except: #{presets.inspect}", **options)

      assert_match(with, failures.first.to_s)
    end

    # The only worker must not be promoted once it has answered a request, which does this work with what was loaded.
    def assert_never_promoted(loaded, work, env: {})
      app = "#{LOAD_AT_BOOT}#{SHOW_ERRORS}#{loaded}\nrun(lambda do |_env|\n#{work}\n[200, {}, ['done']]\nend)"
      PresetServer.open(app: app, config: "#{CONFIG}worker_processes 1", env: environment.merge(env)) do |server|
        assert_equal [200, "done"], server.get("/").then { |answer| [answer.status, answer.body] }
        server.signal(:USR2)
        eventually(60, "the worker was promoted") { server.ready_workers.any? { |row| !row.fork_safe? } }
      end
    end

    # Each worker of the last generation (or the one with the number `from`) must have delivered something to what the
    # block answers: a text with all tokens that have arrived. None may arrive twice.
    def assert_delivers(app, from: nil, within: 60, **options, &received)
      assert_survives(app, **options) do |server, traffic|
        server.ready_workers.select { |worker| from.nil? || worker.nr == from }.each do |worker|
          eventually(within, "process #{worker.pid} delivered nothing") do
            traffic.tokens.values_at(*arrived(received).keys).include?(worker.pid)
          end
        end

        traffic.stop
        server.stop # what processes send when they exit counts as well
        assert_empty(arrived(received).select { |_, count| count > 1 }, "arrived twice")
      end
    end

    # How often each token is in the text.
    def arrived(received) = received.call.b.scan(/\bt\d+x\d+\b/n).tally

    # Without what the test is about, something must get lost, or arrive twice where `twice` says so.
    def refute_delivers(app, twice: false, **options, &received)
      failure = assert_raises(Minitest::Assertion) { assert_delivers(app, within: 5, **options, &received) }

      assert_match(twice ? /\Aarrived twice/ : /\bprocess \d+ delivered nothing/, failure.message)
    end

    # Yields a Services::Service; skips the test when its package is not installed.
    def with_service(name, &block)
      skip "#{name} is not installed" unless Services.program(name)
      Services.run(name, &block)
    end

    def environment
      WITHOUT_BUNDLER.merge("BUNDLE_GEMFILE" => File.join(FOLDER, "Gemfile"), "BUNDLE_WITHOUT" => "rdkafka")
    end

    def serve(server, traffic, generation)
      return if traffic.failed?

      server.signal(:USR2) if generation.positive?
      server.wait(LONG, "generation #{generation}") do
        traffic.failed? || (server.settled?(generation) && served_enough?(server))
      end
    end

    def served_enough?(server) = server.ready_workers.all? { |row| row.requests >= ANSWERS }
  end
end
