# frozen_string_literal: true

require "test_helper"
require "coppice/version_order"

class VersionOrderTest < Coppice::TestCase
  PARTS = %w[0 0 1 2 10 a b a9 a10 0a rc1 alpha 00].freeze
  # A zero between words: newer versions of RubyGems overlook the first one.
  DISPUTED = /[a-z].*[.-]0[0.]*[a-z]/.freeze

  test "versions are compared number by number" do
    {
      ["3.10.0", "3.3"] => true, ["3.3.0", "3.3"] => true, ["3.3", "3.3"] => true, ["3.2.9", "3.3"] => false,
      ["4.0.1", "3.3"] => true, ["10.0", "3"] => true, ["2.2.13", "3"] => false, ["3", "3.0.0"] => true,
      ["3.2.10", "3.2.3"] => true, ["3.2.2", "3.2.3"] => false
    }.each do |versions, expected|
      assert_equal expected, Coppice::VersionOrder.at_least?(*versions), versions.inspect
    end
  end

  test "a pre-release is before its release, and after the release before" do
    {
      ["8.2.0.alpha", "8.2.0"] => false, ["8.2.0.alpha", "8.2"] => false, ["8.2.0.alpha", "8.1.9"] => true,
      ["1.0.a10", "1.0.a9"] => true, ["1.0.a9", "1.0.a10"] => false, ["1.0-1", "1.0"] => false,
      ["1.0-1", "1.0.pre.1"] => true, ["1.0.pre.1", "1.0-1"] => true
    }.each do |versions, expected|
      assert_equal expected, Coppice::VersionOrder.at_least?(*versions), versions.inspect
    end
  end

  test "random versions are compared as RubyGems compares them" do
    versions = Array.new(1000) { random_version }.reject { |text| text.gsub("-", ".pre.").match?(DISPUTED) }

    versions.each_cons(2) do |pair|
      one, other = pair.map { |text| Gem::Version.new(text) }
      assert_equal one >= other, Coppice::VersionOrder.at_least?(*pair), pair.inspect
      assert_equal one.release, Gem::Version.new(Coppice::VersionOrder.release(pair.first)), pair.inspect
    end
  end

  # Many of them are equal up to a few parts.
  def random_version
    [rand(2), *Array.new(rand(5)) { PARTS.sample }].join(".").sub(/\.(?=\w+\z)/) { rand(5).zero? ? "-" : "." }
  end
end
