# frozen_string_literal: true

require_relative "support/preset_test_case"
require_relative "support/rails_app"

module Coppice
  class SolidCachePresetTest < PresetTestCase
    include RailsApp

    OLD_ENTRIES = 10_000

    # Each write has a thread of a pool remove an old entry.
    APP = RailsApp.text("solid_cache", setup: <<~SETUP, body: <<~'BODY')
      OLD_ENTRIES = #{OLD_ENTRIES}
      App.config.cache_store = :solid_cache_store, {
        max_entries: OLD_ENTRIES, expiry_batch_size: 2, error_handler: ->(exception:, **) { raise exception }
      }
    SETUP
      Rails.cache.write_multi(Array.new(OLD_ENTRIES) { |number| ["old#{number}", number] }.to_h)
      run(lambda do |env|
        token = env["QUERY_STRING"]
        Rails.cache.write(token, token)
        [200, {}, ["#{Rails.cache.read(token)} - #{Process.pid}"]]
      end)
    BODY

    test "each process writes and reads entries, and old ones are removed" do
      with_sqlite do |env, rows|
        assert_survives(APP, env: env)
        old = rows.call("SELECT COUNT(*) FROM solid_cache_entries WHERE CAST(key AS TEXT) LIKE 'old%'")

        assert_operator Integer(old), :<, OLD_ENTRIES
      end
    end
  end
end
