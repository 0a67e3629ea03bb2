# frozen_string_literal: true

require "test_helper"
require "coppice/tools/cold/watchers/loaded_files"

module Coppice
  module Cold
    class LoadedFilesTest < TestCase
      test "required files in their order, then loaded ones" do
        with_files("first.rb", "second.rb", "loaded.rb") do |folder|
          found = watched do
            load "#{folder}/loaded.rb"
            require "#{folder}/second"
            require "#{folder}/first"
          end

          assert_equal %w[second.rb first.rb loaded.rb].map { |name| "#{folder}/#{name}" }, found
        end
      end

      test "autoloaded files" do
        with_files("thing.rb" => "Coppice::Cold::LoadedFilesTest::Thing = 1") do |folder|
          self.class.autoload(:Thing, "#{folder}/thing.rb")

          assert_equal(["#{folder}/thing.rb"], watched { self.class.const_get(:Thing) })
        end
      end

      test "neither earlier files nor evaluated text" do
        with_files("known.rb") do |folder|
          require "#{folder}/known"

          assert_empty(watched { require("#{folder}/known") || eval("1 + 1", binding, "#{folder}/text.rb") })
        end
      end

      private

      def watched
        files = LoadedFiles.new
        files.start
        yield
        files.stop
        files.paths
      end

      def with_files(*names, **texts)
        with_tmpdir do |folder|
          folder = File.realpath(folder)
          names.to_h { |name| [name, ""] }.merge(texts).each { |name, text| File.write(File.join(folder, name), text) }
          yield folder
        end
      end
    end
  end
end
