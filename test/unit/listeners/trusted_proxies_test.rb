# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/child/inheritance"
require "coppice/config/settings"

module Coppice
  module Listeners
    class TrustedProxiesTest < TestCase
      test "proxies are trusted by their network" do
        trusted = TrustedProxies.new(Config::Types::Networks::PRIVATE)
        addresses = [nil, "127.0.0.1", "10.1.2.3", "::1", "192.0.2.1", "2001:db8::1", "nonsense"]

        assert_equal [nil, "127.0.0.1", "10.1.2.3", "::1"], addresses.select { |address| trusted.include?(address) }
      end

      test "a worker inherits what the mold has parsed" do
        settings = Config::Settings.new(values: { trusted_proxies: ["192.0.2.0/24"] })
        mold = Child::Inheritance.build(app: nil, settings: settings, log: nil, board: nil)
        worker = mold.with_first_path("/")

        assert_same mold.trusted_proxies, worker.trusted_proxies
        assert_includes worker.trusted_proxies, "192.0.2.1"
      end
    end
  end
end
