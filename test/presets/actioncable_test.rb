# frozen_string_literal: true

require "json"
require "socket"
require "support/documentation"
require_relative "support/preset_test_case"
require_relative "support/rails_app"

module Coppice
  class ActioncablePresetTest < PresetTestCase
    APP = RailsApp.text("action_cable/engine", schema: false, setup: <<~'SETUP', body: <<~'BODY')
      Dir.mkdir("config")
      redis = { production: { adapter: "redis", url: "unix://#{ENV.fetch("REDIS")}", timeout: 60 } }
      File.write("config/cable.yml", JSON.generate(redis)) # which is YAML as well
      App.config.action_cable.disable_request_forgery_protection = true
    SETUP
      class TokensChannel < ActionCable::Channel::Base
        def subscribed = stream_from("tokens")
      end
      map("/cable") { run ActionCable.server }
      run(lambda do |env|
        ActionCable.server.broadcast("tokens", env["QUERY_STRING"])
        [200, {}, ["#{env["QUERY_STRING"]} - #{Process.pid}"]]
      end)
    BODY

    # A browser that has subscribed to the channel.
    class Browser
      HANDSHAKE = "GET /cable HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" \
                  "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n"
      SUBSCRIBE = JSON.generate(command: "subscribe", identifier: JSON.generate(channel: "TokensChannel"))

      # Closes the socket in the end. within: seconds of waiting for each answer.
      def initialize(socket, within)
        @within = within
        @text = "".b
        @socket = socket
        @socket.write(HANDSHAKE)
        return unless receives?("welcome")

        @socket.write([0x81, 0x80 | SUBSCRIBE.bytesize, 0, SUBSCRIBE].pack("CCNa*")) # a text frame, masked with zeros
        receives?("confirm_subscription")
      end

      # There is a ping every three seconds, so that a single wait for something to read is no limit.
      def receives?(text)
        BoundedWait.wait(@within, "no #{text}", interval: 0) do
          @text.include?(text) || (read_some && false)
        end
      rescue EOFError, BoundedWait::TimedOut
        false
      end

      # Seconds until this has come; nil if it never does.
      def seconds_until(text)
        began = OS::Clock.now
        OS::Clock.now - began if receives?(text)
      end

      # How often each of these has come by now.
      def counts(texts) = texts.map { |text| @text.scan(text).size }

      def close = @socket.close

      private

      def read_some = @socket.wait_readable(BoundedWait::LONGEST_TURN) && @text << @socket.readpartial(65_536)
    end

    test "each process broadcasts each message once" do
      with_redis do |env, redis|
        with_subscriber(redis) { |received| assert_delivers(APP, env: env, &received) }
      end
    end

    test "the worker that has served a WebSocket is never promoted" do
      with_redis do |env, _redis|
        assert_equal [true] * (LAST_GENERATION + 1), subscribe(env, within: [60] * (LAST_GENERATION + 1))
      end
    end

    test "without the preset a subscriber receives nothing in a copy" do
      with_redis do |env, _redis|
        config = "fork_safety_presets except: [:actioncable]"

        assert_equal [true, false], subscribe(env, within: [60, 5], to_each_worker: true, config: config)
      end
    end

    test "a service keeps connections over reforks, and workers are promoted" do
      config = Documentation.new("services.md").block("Action Cable")
      [config, ""].each do |service| # without a word it is made for what Rails has mounted
        with_redis { |env, _redis| assert_service_survives(env, "listen 'unix:cable.sock', lobby: true\n#{service}") }
      end
    end

    MESSAGES = 20 # with a refork at each second of them, and a worker killed at each fourth

    test "two browsers get each message once and within a second, while workers are reforked and killed" do
      with_redis do |env, _redis|
        serve_cable(env) do |server|
          browsers = Array.new(2) { browser(server) }
          seconds = Array.new(MESSAGES) { |number| send_message(server, browsers, number) }

          assert_empty seconds.flatten.reject { |each| each&.<(1) }
          assert_equal [[1] * MESSAGES] * 2, browsers.map { |each| each.counts(Array.new(MESSAGES) { "m#{_1}x" }) }
          assert_equal [0], server.rows(:service).map(&:generation)
        ensure
          browsers&.each(&:close)
        end
      end
    end

    private

    def serve_cable(env, &block)
      PresetServer.open(app: APP, config: "#{CONFIG}listen 'unix:cable.sock', lobby: true\n",
                        env: environment.merge(env), &block)
    end

    def browser(server) = Browser.new(UNIXSocket.new(server.path("cable.sock")), 60)

    # Answers after how many seconds each browser had it. A refork is under way then, or a worker was just lost.
    def send_message(server, browsers, number)
      generation = (number + 1) / 2
      server.signal(:USR2) if number.odd?
      kill_worker(server) if (number % 4).zero?
      server.get("/?m#{number}x")
      seconds = browsers.map { |browser| browser.seconds_until("m#{number}x") }
      server.wait(LONG, "generation #{generation}") { server.settled?(generation) }
      seconds
    end

    def kill_worker(server)
      pid = server.ready_workers.first.pid
      server.signal(:KILL, to: pid)
      server.wait { server.ready_workers.none? { |row| row.pid == pid } }
    end

    def assert_service_survives(env, config)
      assert_survives(APP, env: env, config: config, last_generation: 0) do |server, _traffic|
        browser = browser(server)

        assert_equal [true] * (LAST_GENERATION + 1), received_over_reforks(server, browser)
        assert_equal 0, server.rows(:service).first.generation
        assert server.ready_workers.all?(&:fork_safe?)
      ensure
        browser&.close
      end
    end

    # Whether it has received what each generation has broadcast.
    def received_over_reforks(server, browser)
      (0..LAST_GENERATION).map do |generation|
        server.signal(:USR2) if generation.positive?
        server.wait(LONG, "generation #{generation}") { server.settled?(generation) }
        server.get("/?token#{generation}")
        browser.receives?("token#{generation}")
      end
    end

    def with_redis
      with_service(:redis) do |redis|
        yield({ "REDIS" => redis.path("socket"), "DATABASE_URL" => "sqlite3::memory:" }, redis)
      end
    end

    def with_subscriber(redis)
      UNIXSocket.open(redis.path("socket")) do |socket|
        socket.write("SUBSCRIBE tokens\r\n")
        text = +""
        reader = Thread.new { text << socket.readpartial(65_536) while true }
        yield -> { text.dup }
      ensure
        reader&.kill&.join
      end
    end

    # Has a new browser subscribe in each generation; or in the first one as many as it takes to reach each worker.
    # Answers for each generation whether all of them have received within this time what a request has broadcast.
    def subscribe(env, within:, to_each_worker: false, config: "")
      PresetServer.open(app: APP, config: CONFIG + config, env: environment.merge(env)) do |server|
        within.each_with_index.map do |seconds, generation|
          server.signal(:USR2) if generation.positive?
          server.wait(LONG, "generation #{generation}") { server.settled?(generation) }
          browsers = [Browser.new(server.connect, seconds)]
          until generation.positive? || !to_each_worker || all_reached?(server)
            browsers << Browser.new(server.connect, seconds)
          end
          receive?(server, browsers, "token#{generation}")
        end
      end
    end

    # A worker that is slow misses its turn.
    def all_reached?(server) = server.ready_workers.all? { |row| row.hijacked.positive? }

    def receive?(server, browsers, token)
      server.get("/?#{token}")
      browsers.map { |browser| browser.receives?(token) }.all?
    ensure
      browsers.each(&:close)
    end
  end
end
