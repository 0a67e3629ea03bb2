# frozen_string_literal: true

require "rbconfig"

# The gems of the Gemfile's lock, without Bundler. It takes 0.15 s to find them, in each test file, and in each mold and
# command that a test starts: half of the time of a small server. The runner asks it once, and all processes below load
# this file in its place:
#
#   RUBYOPT=-r.../locked_gems.rb COPPICE_TEST_GEMS=/a.gemspec:/b.gemspec ruby ...
#
# Where a test names a Gemfile (BUNDLE_GEMFILE), Bundler finds that one's gems. The gems that add hints to messages of
# errors (HINTS) are loaded in none of these processes: they are a part of each start of Ruby. A test that takes RUBYOPT
# away has them, and Bundler.
module LockedGems
  # Prints the specifications of what Bundler has activated, in an order in which each follows those it needs. Those
  # that belong to Ruby activate themselves, and Coppice is on the load path.
  QUESTION = <<~RUBY
    gems = Gem.loaded_specs.each_value.reject { |gem| gem.default_gem? || %w[bundler coppice].include?(gem.name) }
    print gems.map(&:loaded_from).join(":")
  RUBY

  # Gems that this Ruby has.
  HINTS = ["did_you_mean", "error_highlight", *("syntax_suggest" unless RUBY_VERSION.start_with?("3.1."))].freeze

  # For this process to hand on to those that it starts.
  def self.hand_on #: () -> void
    files = IO.popen([RbConfig.ruby, "-rbundler/setup", "-e", QUESTION], &:read)
    raise "Bundler does not find the gems of #{ENV.fetch('BUNDLE_GEMFILE')}" unless $?.success?

    ENV["COPPICE_TEST_GEMS"] = files
    without = HINTS.map { |gem| "--disable=#{gem}" }
    ENV["RUBYOPT"] = [ENV.fetch("RUBYOPT", nil), *without, "-r#{__FILE__}"].compact.join(" ")
    ENV.delete("BUNDLE_GEMFILE")
  end

  def self.activate(files) #: (Array[String]) -> void
    files.each { |file| Gem::Specification.load(file).activate }
  end

  activate(ENV["COPPICE_TEST_GEMS"].split(":")) if defined?(Gem) && ENV["COPPICE_TEST_GEMS"] && !ENV["BUNDLE_GEMFILE"]
end
