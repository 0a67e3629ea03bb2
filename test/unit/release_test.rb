# frozen_string_literal: true

require "test_helper"
require "coppice/config/settings"
require "coppice/release"

module Coppice
  class ReleaseTest < TestCase
    def release_in(directory) = Release.new(number: 1, directory: directory, settings: Config::Settings.new).freeze

    test "the revision is what a deployment has written" do
      with_tmpdir do |folder|
        File.write(File.join(folder, "REVISION"), "4b825dc642cb6eb9a060e54bf8d69288fbee4904\n")

        assert_equal "4b825dc642cb6eb9a060e54bf8d69288fbee4904", release_in(folder).revision
      end
    end

    test "without that file, or with an empty one, it is the directory's name" do
      with_tmpdir do |folder|
        assert_equal File.basename(folder), release_in(folder).revision
        File.write(File.join(folder, "REVISION"), "\n")

        assert_equal File.basename(folder), release_in(folder).revision
      end
    end

    test "from a generation on it has the same number, and counts generations from there" do
      later = release_in("/").from_generation(7)

      assert_equal [1, 7], [later.number, later.settings.first_generation]
      assert_predicate later, :frozen?
    end
  end
end
