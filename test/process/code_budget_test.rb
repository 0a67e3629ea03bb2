# frozen_string_literal: true

require "test_helper"
require "open3"
require "rbconfig"
require "coppice/bare_ruby"

# How much code each process loads before it does anything. Each file costs about half a millisecond of every start and
# 25 KiB for as long as the process lives. Who needs more raises a number here, and says why in the commit.
class CodeBudgetTest < Coppice::TestCase
  LIBRARY = File.expand_path("../../lib", __dir__)

  { "the monitor, until it spawns the first mold" => [%w[coppice/cli/serve_command], 175],
    "the monitor" => [%w[coppice/cli/serve_command coppice/monitor], 300],
    "a mold, and the workers that it forks" => [%w[coppice/mold/cold_boot], 190],
    "the observer" => [%w[coppice/observer], 115] }.each do |process, (features, most)|
    test "#{process}: files" do
      assert_includes (most - 15)..most, loaded_files(features)
    end
  end

  private

  def loaded_files(features)
    script = "before = $LOADED_FEATURES.size; ARGV.each { |feature| require feature }; p $LOADED_FEATURES.size - before"
    text, status = Open3.capture2({ "RUBYOPT" => nil }, RbConfig.ruby, Coppice::BareRuby::FLAGS, "-I", LIBRARY,
                                  "-e", script, *features)
    assert_predicate status, :success?
    text.to_i
  end
end
