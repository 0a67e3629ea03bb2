# frozen_string_literal: true

require_relative "support/preset_test_case"

module Coppice
  class PolarsDfPresetTest < PresetTestCase
    test "the worker that has executed a query is never promoted" do
      assert_never_promoted(<<~'RUBY')
        require "polars-df"
        run(lambda do |_env|
          Polars::DataFrame.new({ "a" => [1, 2] }).lazy.select(Polars.col("a").sum).collect
          [200, {}, ["done"]]
        end)
      RUBY
    end
  end
end
