# frozen_string_literal: true

require_relative "support/preset_test_case"
require_relative "support/rails_app"

module Coppice
  class SolidCablePresetTest < PresetTestCase
    include RailsApp

    APP = RailsApp.text("solid_cable", setup: <<~'SETUP', body: <<~'BODY')
      require "action_cable/engine"
      Dir.mkdir("config")
      File.write("config/cable.yml", "production:\n  adapter: solid_cable\n  autotrim: false\n")
    SETUP
      run(lambda do |env|
        ActionCable.server.broadcast("tokens", env["QUERY_STRING"])
        [200, {}, ["#{env["QUERY_STRING"]} - #{Process.pid}"]]
      end)
    BODY

    test "each process broadcasts each message once" do
      with_database { |env, received| assert_delivers(APP, env: env, &received) }
    end

    test "without the preset a copy broadcasts nothing" do
      with_database do |env, received|
        refute_delivers(APP, env: env, config: "fork_safety_presets except: [:solid_cable]", &received)
      end
    end

    private

    def with_database
      with_sqlite { |env, rows| yield env, -> { rows.call("SELECT payload FROM solid_cable_messages") } }
    end
  end
end
