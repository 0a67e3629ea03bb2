# frozen_string_literal: true

require "test_helper"
require "open3"

# What the programs of bin/ say of themselves.
class HelpTest < Coppice::TestCase
  PROGRAMS = Dir[File.expand_path("../../../bin/*", __dir__)].select { |path| File.executable?(path) }
  OF_THE_PROJECT = PROGRAMS.select { |path| File.read(path).include?("/environment.sh") }

  test "each shell script prints the comment at its top, and does nothing" do
    refute_empty OF_THE_PROJECT

    OF_THE_PROJECT.each do |path|
      comment = File.readlines(path).drop(1).take_while { |line| line.start_with?("#") }
      output, status = Open3.capture2e(path, "--help")

      assert_equal [comment.join.gsub(/^# ?/, ""), true], [output, status.success?], path
    end
  end

  test "the benchmarks need no part of Coppice to print their usage: --checkout says which one they measure" do
    output, status = Open3.capture2e(RbConfig.ruby, File.expand_path("../../../bench/bench.rb", __dir__), "--help")

    assert_predicate status, :success?, output
    assert_match(/\AUsage: bin\/bench/, output)
  end
end
