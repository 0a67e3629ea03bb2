# frozen_string_literal: true

require "test_helper"
require_relative "../../../bench/lib/row_file"

class RowFileTest < Coppice::TestCase
  def setup
    @folder = Dir.mktmpdir
    @file = Bench::RowFile.new(File.join(@folder, "new/rows.jsonl"))
  end

  def teardown = FileUtils.rm_r(@folder)

  test "rows are found by some of their values, in their order" do
    rows = [1, 2].map { |round| { "server" => "puma", "round" => round, "shares" => [30, 70] } }
    rows.each { |row| @file.append(row) }
    @file.append("server" => "coppice", "round" => 1, "shares" => [30, 70])

    assert_equal rows, @file.matching("server" => "puma", "shares" => [30, 70])
    assert_empty @file.matching("server" => "puma", "shares" => [30])
  end

  test "a file that does not exist has no rows" do
    assert_empty @file.matching({})
  end

  test "a line that was cut off is no row, and the next row has a line of its own" do
    @file.append("round" => 1)
    File.write(@file.path, '{"round":2,"serv', mode: "a")
    @file.append("round" => 3)

    assert_equal([1, 3], @file.matching({}).map { |row| row["round"] })
  end
end
