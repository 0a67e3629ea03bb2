# frozen_string_literal: true

require "test_helper"
require "open3"

# The variables for Bundler that the scripts of bin/ set.
class EnvironmentTest < Coppice::TestCase
  FILE = File.expand_path("../../../bin/environment.sh", __dir__)

  def without(groups)
    program = ". #{FILE} && printf %s \"$BUNDLE_WITHOUT\""
    output, status = Open3.capture2({ "BUNDLE_WITHOUT" => groups }, "bash", "-euc", program)

    assert_predicate status, :success?
    output
  end

  test "the groups of another application are none of this one" do
    { nil => "lint", "" => "", "lint" => "lint", "lint:browser" => "lint:browser", "development:test" => "lint" }
      .each { |given, expected| assert_equal expected, without(given), given.inspect }
  end
end
