# frozen_string_literal: true

require "test_helper"
require "open3"
require "rbconfig"
require "fuzz/targets"
require "soak/table"

module Coppice
  class SoakTableTest < TestCase
    ROOT = File.expand_path("../../..", __dir__)

    test "each command is a program of the project" do
      Soak::TABLE.each_value do |soak|
        program = Dir.chdir(ROOT) { soak.command }.find { |word| word.match?(%r{\A(?:bin|\.ci|test)/}) }
        assert File.executable?(File.join(ROOT, program)) || program.end_with?(".rb"), soak.name
      end
    end

    test "each long run of this folder is in the table" do
      programs = Dir.children(File.join(ROOT, "test/soak")).grep(/\.rb\z/) - %w[command.rb table.rb]
      assert_empty programs.map { |file| File.basename(file, ".rb") } - Soak::TABLE.keys
    end

    test "each target of the fuzzer is in the table" do
      assert_equal FUZZ_TARGETS.keys.map { |target| "fuzz_#{target}" }.sort, Soak::TABLE.keys.grep(/\Afuzz_/).sort
    end

    test "the seconds are the last word where there are any" do
      assert_equal %w[bin/chaos 900], Soak::TABLE["chaos"].command
      assert_equal %w[bin/chaos 60], Soak::TABLE["chaos"].command("60")
      assert_equal %w[bin/differential], Soak::TABLE["differential"].command
      assert_equal %w[bin/differential], Soak::TABLE["differential"].command("60")
    end

    test "a name that is no soak is refused with the list of those that are" do
      command = [RbConfig.ruby, "test/soak/command.rb", "hurry"]
      out, status = Open3.capture2e({ "RUBIES" => "/nowhere" }, *command, chdir: ROOT)
      assert_equal 2, status.exitstatus
      assert_includes out, "NAME is one of: tests"
    end
  end
end
