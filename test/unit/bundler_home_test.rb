# frozen_string_literal: true

require "test_helper"
require "coppice/bundler_home"

module Coppice
  class BundlerHomeTest < TestCase
    test "only a home that cannot be written to is named, and what the user has named stays" do
      with_tmpdir do |home|
        assert_empty variables("HOME" => home)
        assert_equal({ "BUNDLE_USER_HOME" => "#{home}/none/.bundle" }, variables("HOME" => "#{home}/none"))
        assert_empty variables("HOME" => "#{home}/none", "BUNDLE_USER_HOME" => "/mine")
      end
    end

    test "a folder .bundle that can be written to is enough in a home that cannot" do
      with_tmpdir do |home|
        Dir.mkdir("#{home}/.bundle")
        File.stub(:writable?, ->(path) { path != home }) { assert_empty variables("HOME" => home) }
      end
    end

    test "without HOME it is the home that the system has for the user, or the root" do
      with_tmpdir do |home|
        Dir.stub(:home, "#{home}/none") { assert_equal ["#{home}/none/.bundle"], variables({}).values }
      end
      Dir.stub(:home, -> { raise ArgumentError }) do
        File.stub(:writable?, false) { assert_equal ["/.bundle"], variables({}).values }
      end
    end

    private

    def variables(environment) = BundlerHome.variables(environment)
  end
end
