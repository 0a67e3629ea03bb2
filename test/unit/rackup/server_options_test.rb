# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/rackup/handler"
require "coppice/rackup/server_options"

module Coppice
  class RackupServerOptionsTest < TestCase
    # As Rails 8.1 passes them, for `bin/rails server` without flags.
    RAILS = { user_supplied_options: [], Port: 3000, Host: "localhost", environment: "development", config: __FILE__,
              pid: nil, early_hints: nil, restart_cmd: "bin/rails server  --restart", log_stdout: false }.freeze
    # As rackup passes them, without flags.
    RACKUP = { environment: "production", Port: 9292, Host: "0.0.0.0", config: __FILE__, AccessLog: [] }.freeze

    test "what Rails sets by itself becomes no flag, but the place where nothing else says one" do
      options = Rackup::ServerOptions.new(RAILS)

      assert_equal ["-E", "development", __FILE__], options.arguments
      assert_equal ["localhost:3000"], options.default_listen
      assert_predicate options, :local?
    end

    test "a port that the user types becomes a flag, with the host that goes with it" do
      typed = { user_supplied_options: [:Port], Port: 3001, Host: "0.0.0.0", environment: "production" }

      assert_equal ["-E", "production", "-l", "0.0.0.0:3001", __FILE__], arguments(**RAILS, **typed)
    end

    test "a port that PORT names is left to the configuration" do
      before = ENV["PORT"]
      ENV["PORT"] = "3001"

      assert_equal ["-E", "development", __FILE__], arguments(**RAILS, user_supplied_options: [:Port], Port: 3001)
    ensure
      ENV["PORT"] = before
    end

    test "the variable HOST, which Rails does not read, is no address" do
      before = ENV["HOST"]
      ENV["HOST"] = "shop.example"
      typed = { **RAILS, user_supplied_options: [:Host] }

      assert_equal ["-E", "development", __FILE__], arguments(**typed)
      assert_includes arguments(**typed, Host: "192.0.2.1"), "192.0.2.1:3000"
    ensure
      ENV["HOST"] = before
    end

    test "a program that names no environment leaves it open" do
      before = ENV.values_at("RACK_ENV", "RAILS_ENV")
      ENV.update("RACK_ENV" => nil, "RAILS_ENV" => "")

      assert_equal [["-l", "localhost:1"], "development"],
        Rackup::ServerOptions.new(Port: 1).then { |options| [options.arguments, options.environment_name] }
    ensure
      ENV.update(%w[RACK_ENV RAILS_ENV].zip(before).to_h)
    end

    test "a host of IPv6, a path and a URI are taken" do
      typed = { user_supplied_options: [:Host] }

      assert_includes arguments(**RAILS, **typed, Host: "::1"), "[::1]:3000"
      assert_equal ["-b", "unix:///tmp/a.sock"], arguments(**RAILS, **typed, Host: "unix:///tmp/a.sock")[2, 2]
    end

    test "rackup's defaults become no flags" do
      assert_equal ["-E", "production", __FILE__], arguments(**RACKUP)
      assert_equal ["0.0.0.0:9292"], Rackup::ServerOptions.new(RACKUP).default_listen
    end

    test "rackup passes a typed port as a text, which may be the default's" do
      assert_equal ["-l", "0.0.0.0:9292"], arguments(**RACKUP, Port: "9292")[2, 2]
    end

    test "options of Coppice become flags by their names" do
      flags = arguments(**RACKUP, timeout: "5", worker_processes: 3, early_hints: true,
        check_client_connection: "false")

      assert_equal %w[--check-client-connection --early-hints --timeout --workers],
        flags.grep(/\A--/).map { |flag| flag.sub("--no-", "--")[/[^=]+/] }.sort
      assert_empty %w[--no-check-client-connection --timeout=5 --workers=3] - flags
    end

    test "Ruby's flags and the pidfile are passed on" do
      flags = arguments(**RACKUP, include: ["lib"], require: ["set"], warn: true, pid: "/tmp/a.pid")

      assert_equal %w[-w -I lib -r set], flags[2, 5]
      assert_includes flags, "--pidfile=/tmp/a.pid"
    end

    test "a daemon of Rack 2 goes back to the directory of the application" do
      daemon = Rackup::ServerOptions.new(**RACKUP, daemonize: true)

      assert_equal __dir__, daemon.directory_left("/")
      assert_nil daemon.directory_left("/srv/shop")
      assert_nil Rackup::ServerOptions.new(RACKUP).directory_left("/")
      assert_nil Rackup::ServerOptions.new(daemonize: true).directory_left("/")
    end

    test "an application that no file holds cannot be loaded by another process" do
      assert_equal __FILE__, Rackup::ServerOptions.new(RACKUP).rackup_file
      assert_nil Rackup::ServerOptions.new(**RACKUP, app: -> {}).rackup_file
      assert_nil Rackup::ServerOptions.new(**RACKUP, builder: "run App").rackup_file
      assert_nil Rackup::ServerOptions.new({ Port: 1 }).rackup_file
    end

    test "the handler names all options that have a flag" do
      options = Rackup::Handler.valid_options

      assert_equal Config::OPTIONS.select(&:flag).size + 2, options.size
      assert_includes options.keys, "timeout=SECONDS"
    end

    private

    def arguments(**options) = Rackup::ServerOptions.new(options).arguments
  end
end
