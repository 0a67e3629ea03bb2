# frozen_string_literal: true

require "test_helper"
require "coppice/version_order"

class VersionOrderTest < Coppice::TestCase
  test "versions are compared number by number" do
    {
      ["3.10.0", "3.3"] => true, ["3.3.0", "3.3"] => true, ["3.3", "3.3"] => true, ["3.2.9", "3.3"] => false,
      ["4.0.1", "3.3"] => true, ["10.0", "3"] => true, ["2.2.13", "3"] => false, ["3.0.0.rc1", "3"] => true,
      ["3.2.10", "3.2.3"] => true, ["3.2.2", "3.2.3"] => false
    }.each do |versions, expected|
      assert_equal expected, Coppice::VersionOrder.at_least?(*versions), versions.inspect
    end
  end
end
