# frozen_string_literal: true

require "test_helper"
require "coppice/gc_profile"

module Coppice
  module GCProfile
    class ProfileFileTest < TestCase
      VARIABLES = { "RUBY_GC_HEAP_0_INIT_SLOTS" => "230000", "RUBY_GC_HEAP_FREE_SLOTS_GOAL_RATIO" => "0.3" }.freeze

      test "what is written is what is read, without the comments" do
        with_file(ProfileFile.text(VARIABLES, ["by hand", "twice"])) do |path|
          assert_equal VARIABLES, ProfileFile.read(path)
        end
      end

      test "a shell can read it as well" do
        assert_equal <<~TEXT, ProfileFile.text({ "RUBY_GC_MALLOC_LIMIT" => "8m" }, ["by hand"])
          # by hand
          RUBY_GC_MALLOC_LIMIT=8m
        TEXT
      end

      test "empty lines and comments in any encoding are passed over" do
        with_file("\n  # gr\xFC\xDFe\n\n#{ProfileFile.text(VARIABLES, [])}\n") do |path|
          assert_equal VARIABLES, ProfileFile.read(path)
        end
      end

      ["RUBY_GC_MALLOC_LIMIT", "RUBY_GC_MALLOC_LIMIT=", "RUBY_GC_MALLOC_LIMIT=much", "PATH=1",
       "export RUBY_GC_MALLOC_LIMIT=1",
       "RUBY_GC_MALLOC_LIMIT=\xFF", "=1"].each do |line|
        test "#{line.inspect} is an error that names the file and the line" do
          with_file("# first\n\n#{line}\nRUBY_GC_MALLOC_LIMIT=1\n") do |path|
            error = assert_raises(ConfigError) { ProfileFile.read(path) }

            assert_match(/\A#{path}:3: must be RUBY_GC_/, error.message)
          end
        end
      end

      test "ratios that Ruby would ignore are an error that names the file" do
        with_file("RUBY_GC_HEAP_FREE_SLOTS_MIN_RATIO=0.9\n") do |path|
          error = assert_raises(ConfigError) { ProfileFile.read(path) }

          assert_match(/\A#{path}: must have 0 < MIN < GOAL .* MIN 0.9, GOAL 0.4, MAX 0.65: set all/, error.message)
        end
      end

      test "a file that cannot be read is an error that names it" do
        with_tmpdir do |folder|
          error = assert_raises(ConfigError) { ProfileFile.read(folder) }

          assert_match(/\A#{folder}: cannot be read: /, error.message)
        end
      end

      private

      def with_file(text)
        with_tmpdir do |folder|
          path = "#{folder}/coppice.gc"
          File.binwrite(path, text)
          yield path
        end
      end
    end
  end
end
