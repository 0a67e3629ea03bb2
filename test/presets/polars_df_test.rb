# frozen_string_literal: true

require_relative "support/preset_test_case"

module Coppice
  class PolarsDfPresetTest < PresetTestCase
    test "the worker that has executed a query is never promoted" do
      assert_never_promoted('require "polars-df"',
        'Polars::DataFrame.new({ "a" => [1, 2] }).lazy.select(Polars.col("a").sum).collect')
    end
  end
end
