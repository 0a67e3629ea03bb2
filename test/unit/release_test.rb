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

    # How the release that begins in the directory of `current` names this rackup file, and this configuration file.
    def files_of_first(path)
      with_tmpdir do |folder|
        folder = File.realpath(folder)
        Dir.mkdir(File.join(folder, "1"))
        File.symlink("1", File.join(folder, "current"))
        path = path.sub("FOLDER", folder)
        settings = Config::Settings.new(rackup: path, config_file: path)
        found = Dir.chdir(File.join(folder, "current")) { Release.first(settings).settings }
        [found.rackup, found.config_file].uniq.join.sub(folder, "FOLDER")
      end
    end

    test "the first one names its files from its directory, with symlinks or without" do
      assert_equal %w[config.ru config.ru api/config.ru config.ru],
        %w[FOLDER/1/config.ru FOLDER/current/config.ru FOLDER/current/api/config.ru config.ru]
          .map { |path| files_of_first(path) }
    end

    test "a file elsewhere keeps its path, and there may be no configuration file" do
      assert_equal %w[FOLDER/shared/config.ru ../shared/config.ru FOLDER/10/config.ru],
        %w[FOLDER/shared/config.ru ../shared/config.ru FOLDER/10/config.ru].map { |path| files_of_first(path) }
      assert_nil Release.first(Config::Settings.new(rackup: "config.ru")).settings.config_file
    end

    test "from a generation on it has the same number, and counts generations from there" do
      later = release_in("/").from_generation(7)

      assert_equal [1, 7], [later.number, later.settings.first_generation]
      assert_predicate later, :frozen?
    end
  end
end
