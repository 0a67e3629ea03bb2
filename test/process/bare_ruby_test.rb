# frozen_string_literal: true

require "test_helper"
require "open3"
require "rbconfig"
require "coppice/bare_ruby"

# A process that becomes a Ruby without gems: what it gets, and what it hands on.
class BareRubyTest < Coppice::TestCase
  LIBRARY = File.expand_path("../../lib", __dir__)
  SWITCH = "require 'coppice/bare_ruby'; Coppice::BareRuby.run_instead(ARGV)"
  FACTOR = "RUBY_GC_HEAP_GROWTH_FACTOR"
  # As Ruby found them when it started, and as the configuration and all that is started from here find them.
  CONFIGURATION = <<~RUBY.freeze
    at_start = File.read("/proc/self/environ").split("\\0").to_h { |text| text.split("=", 2) }
    puts [at_start, ENV].map { |variables| variables["#{FACTOR}"].inspect }.join(" "), ENV.keys.grep(/ADDED/).inspect,
         defined?(Gem).inspect
  RUBY

  test "its heap grows in small steps, and it hands no variable on for that" do
    assert_equal [%("#{Coppice::BareRuby::HEAP.fetch(FACTOR)}" nil), "[]", "nil"], seen_by_configuration
  end

  test "a server without flags does not load the library that reads them" do
    script = "require 'coppice/cli/serve_command'; Coppice::Config::Arguments.parse([]); p defined?(OptionParser)"
    text, = Open3.capture2e({ "RUBYOPT" => nil }, RbConfig.ruby, Coppice::BareRuby::FLAGS, "-I", LIBRARY, "-e", script)
    assert_equal "nil\n", text
  end

  test "a variable of the user reaches it, and all that it starts" do
    assert_equal [%("1.4" "1.4"), "[]", "nil"], seen_by_configuration(FACTOR => "1.4")
  end

  private

  def seen_by_configuration(variables = {})
    with_tmpdir do |folder|
      File.write("#{folder}/coppice.rb", CONFIGURATION)
      environment = { "RUBYOPT" => nil, FACTOR => nil, **variables }
      text, = Open3.capture2e(environment, RbConfig.ruby, "-I", LIBRARY, "-e", SWITCH, "check", "-c", "coppice.rb",
        chdir: folder)
      text.lines(chomp: true).first(3)
    end
  end
end
