# frozen_string_literal: true

require "test_helper"
require "coppice/tools/cold/source_paths"

module Coppice
  module Cold
    class SourcePathsTest < TestCase
      EXAMPLES = {
        "ROOT/app/models/product.rb" => ["app/models/product.rb", true],
        "ROOT/vendor/bundle/ruby/3.1.0/gems/rack-3.2.8/lib/rack.rb" => ["rack-3.2.8/lib/rack.rb", false],
        "ROOT/vendor/bundle/ruby/3.1.0/bundler/gems/rails-0a1b2c3/x.rb" => ["rails-0a1b2c3/x.rb", false],
        "ROOT/vendor/extra/x.rb" => ["vendor/extra/x.rb", false],
        "/opt/ruby/lib/ruby/gems/3.4.0/gems/csv-3.3.2/lib/csv.rb" => ["csv-3.3.2/lib/csv.rb", false],
        "/var/lib/gems/3.1.0/extensions/x86_64-linux/3.1.0/bcrypt-3.1.20/bcrypt_ext.so" =>
          ["bcrypt-3.1.20/bcrypt_ext.so", false],
        "#{RbConfig::CONFIG['rubylibdir']}/set.rb" => ["ruby/set.rb", false],
        "/elsewhere/x.rb" => ["/elsewhere/x.rb", false]
      }.freeze

      test "each path has a short name and an owner" do
        with_tmpdir do |root|
          source_paths = SourcePaths.new(root)
          paths = EXAMPLES.keys.map { |path| path.sub("ROOT", File.realpath(root)) }

          assert_equal(EXAMPLES.values, paths.map { |path| [source_paths.short(path), source_paths.own?(path)] })
        end
      end

      test "the folder of the application may have any name" do
        with_tmpdir do |folder|
          Dir.mkdir(root = "#{folder}/caf\xE9")
          path = "#{File.realpath(folder)}/caf\uFFFD/app/caf\u00E9.rb" # as a PathAnalysis has it

          assert_equal "app/caf\u00E9.rb", SourcePaths.new(root).short(path)
        end
      end

      test "Coppice itself is not the application, even in its own folder" do
        own_file = SourcePaths.instance_method(:own?).source_location.first
        refute SourcePaths.new(File.expand_path("../../../..", __dir__)).own?(own_file)
      end
    end
  end
end
