# frozen_string_literal: true

require "test_helper"
require "open3"
require "rbconfig"
require "rubygems/package"
require "coppice/bare_ruby"

# How much code each process loads before it does anything, and how much is installed. Each file costs about half a
# millisecond of every start and 25 KiB for as long as the process lives. Who needs more raises a number here, and says
# why in the commit; who needs less lowers it.
class CodeBudgetTest < Coppice::TestCase
  ROOT = File.expand_path("../..", __dir__)
  LOADING = <<~RUBY
    measure = -> { GC.start || [$LOADED_FEATURES.size, GC.stat(:heap_live_slots)] }
    before = measure.call
    ARGV.each { |feature| require feature }
    puts measure.call.zip(before).map { |after, former| after - former }
  RUBY

  # Features; files and slots of Ruby's heap at most.
  { "the monitor, until it spawns the first mold" => [%w[coppice/cli/serve_command], 175, 18_000],
    "the monitor" => [%w[coppice/cli/serve_command coppice/monitor], 300, 26_000],
    "a mold, and the workers that it forks" => [%w[coppice/mold/cold_boot], 190, 21_500],
    "the observer" => [%w[coppice/observer], 115, 14_000] }.each do |process, (features, most_files, most_slots)|
    test "#{process}: files and slots" do
      files, slots = loaded(features)

      assert_includes (most_files - 15)..most_files, files
      assert_includes (most_slots - 1000)..most_slots, slots
    end
  end

  test "the gem: bytes" do
    silent = Gem::SilentUI.new
    with_tmpdir do |folder|
      package = File.join(folder, "coppice.gem")
      Gem::DefaultUserInteraction.use_ui(silent) do
        Dir.chdir(ROOT) { Gem::Package.build(Gem::Specification.load("coppice.gemspec"), false, false, package) }
      end

      assert_includes 840_000..860_000, File.size(package)
    end
  ensure
    silent.close
  end

  private

  def loaded(features)
    text, status = Open3.capture2({ "RUBYOPT" => nil }, RbConfig.ruby, Coppice::BareRuby::FLAGS, "-I", "#{ROOT}/lib",
                                  "-e", LOADING, *features)
    assert_predicate status, :success?
    text.split.map(&:to_i)
  end
end
