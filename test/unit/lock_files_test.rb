# frozen_string_literal: true

require "bundler"
require "test_helper"

# Each Gemfile of this repository has a lock file that was made from it. Bundler refuses one that is older, and where a
# Gemfile reads another one, as the benchmark's reads the example's, a change of that one leaves two lock files behind.
class LockFilesTest < Coppice::TestCase
  ROOT = File.expand_path("../..", __dir__)
  PLACES = %w[Gemfile.lock bench/*.lock examples/*/Gemfile.lock gemfiles/*.lock test/**/Gemfile.lock].freeze
  LOCKS = Dir.glob(PLACES, base: ROOT).freeze

  test "there are lock files" do
    assert_includes LOCKS, "Gemfile.lock"
    assert_includes LOCKS, "bench/Gemfile.shop.lock"
  end

  LOCKS.each do |lock|
    test "#{lock} was made from its Gemfile" do
      locked = Bundler::LockfileParser.new(File.read(File.join(ROOT, lock)))

      assert_equal described(wanted(lock.delete_suffix(".lock"))), described(locked.dependencies.values)
      locked.dependencies.each_value do |gem|
        versions = locked.specs.select { |spec| spec.name == gem.name }.map(&:version)
        assert versions.any? { |version| gem.requirement.satisfied_by?(version) }, "#{gem}: #{versions.join(" ")}"
      end
    end
  end

  private

  def wanted(gemfile)
    Bundler::Dsl.new.tap { |reader| reader.eval_gemfile(File.join(ROOT, gemfile)) }.dependencies
  end

  # One line for each gem.
  def described(dependencies) = dependencies.map { |gem| "#{gem.name} #{gem.requirement}" }.sort
end
