# frozen_string_literal: true

require "test_helper"
require "open3"

# The variables for Bundler that the scripts of bin/ set.
class EnvironmentTest < Coppice::TestCase
  FILE = File.expand_path("../../../bin/environment.sh", __dir__)

  def without(groups) = after_sourcing("$BUNDLE_WITHOUT", "BUNDLE_WITHOUT" => groups)

  def after_sourcing(text, variables)
    output, status = Open3.capture2(variables, "bash", "-euc", ". #{FILE} && printf %s \"#{text}\"")

    assert_predicate status, :success?
    output
  end

  test "the groups of another application are none of this one" do
    { nil => "lint", "" => "", "lint" => "lint", "lint:browser" => "lint:browser", "compatibility" => "compatibility",
      "development:test" => "lint", "development:lint" => "lint", "lint_rails:test" => "lint" }
      .each { |given, expected| assert_equal expected, without(given), given.inspect }
  end

  test "groups that another application wants are not asked for" do
    assert_equal "-", after_sourcing("${BUNDLE_WITH-}-${BUNDLE_ONLY-}", "BUNDLE_WITH" => "a", "BUNDLE_ONLY" => "b")
  end
end
