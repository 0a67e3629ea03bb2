# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/mold/bundler_home"

module Coppice
  class BundlerHomeTest < TestCase
    test "only a home that cannot be written to is named, and what the user has named stays" do
      with_tmpdir do |home|
        assert_empty settled({}, home)
        assert_equal({ "BUNDLE_USER_HOME" => "#{home}/none/.bundle" }, settled({}, "#{home}/none"))
        assert_equal({ "BUNDLE_USER_HOME" => "/mine" }, settled({ "BUNDLE_USER_HOME" => "/mine" }, "#{home}/none"))
      end
    end

    test "a folder .bundle that can be written to is enough in a home that cannot" do
      with_tmpdir do |home|
        Dir.mkdir("#{home}/.bundle")
        File.stub(:writable?, ->(path) { path != home }) { assert_empty settled({}, home) }
      end
    end

    private

    def settled(environment, home)
      environment.tap { Mold::BundlerHome.settle(environment, home: home) }
    end
  end
end
