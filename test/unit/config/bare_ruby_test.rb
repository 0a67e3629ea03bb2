# frozen_string_literal: true

require "test_helper"
require "open3"
require "rbconfig"

module Coppice
  module Config
    # The monitor reads its configuration in a Ruby without RubyGems.
    class BareRubyTest < TestCase
      LIBRARY = File.expand_path("../../../lib", __dir__)
      RAILS_LOCK = File.expand_path("../../../gemfiles/rails-8.1.gemfile.lock", __dir__)

      # For a Ruby that is to find the gems of the tests without Bundler.
      WITH_GEMS = { "BUNDLE_GEMFILE" => nil, "GEM_HOME" => Gem.loaded_specs.fetch("rack").base_dir }.freeze

      test "a configuration that needs no gem leaves RubyGems alone" do
        config = "worker_processes 4\nlisten URI('http://127.0.0.1:3000').port\nEtc.nprocessors"
        assert_equal "4 nil", bare(config, "defined?(Gem::Specification).inspect")
      end

      # As logger did with Ruby 4.0.
      test "a constant of a library that has become a gem gets RubyGems, and an error where no gem has it" do
        with_tmpdir do |folder|
          {
            ["Gem", nil] => "4 true", ["NoSuch", nil] => "config.rb: LoadError: no logger",
            ["Gem", "/none/Gemfile"] => "config.rb: Bundler::GemfileNotFound: /none/Gemfile not found"
          }.each do |(needed, gemfile), output|
            File.write("#{folder}/logger.rb", "defined?(#{needed}) or raise LoadError, 'no logger'\nLogger = Class.new")

            assert_equal output, bare("[Logger, Date]\nworker_processes 4", "defined?(Gem) == 'constant'",
              { "RUBYLIB" => folder, "BUNDLE_GEMFILE" => gemfile })
          end
        end
      end

      test "the standard library's constants of everyday use need no require" do
        config = "# a Logger\n[Date, FileUtils, Pathname, Tempfile, URI, \"\#{StringIO}\"].freeze\nworker_processes 4"

        assert_equal "4 nil", bare(config, "defined?(Logger).inspect")
        assert_equal "config.rb:1: NameError: uninitialized constant Unknown", bare("Unknown", "1").delete_suffix("'")
      end

      # As Active Support 7.1 does it, on Ruby 3.1 the first to load anything of URI.
      test "the application can require a part of such a library first" do
        assert_equal "4 true", bare("worker_processes 4", "require 'uri/generic'")
      end

      test "a configuration that requires a gem gets RubyGems" do
        assert_equal "4 2", bare("require 'rack'\nworker_processes Rack::VERSION ? 4 : 0", "2", **WITH_GEMS)
      end

      test "a file that the configuration requires gets RubyGems as well, and the configuration is applied once" do
        with_tmpdir do |folder|
          File.write("#{folder}/shared.rb", "require 'rack'\nSHARED = Rack::VERSION ? 4 : 0")
          ["require_relative", "class Outer; require", "load"].zip(["", "; end", ""]) do |word, rest|
            config = "listen 3000\n#{word} '#{folder}/shared.rb'#{rest}\nworker_processes SHARED"

            assert_equal "4 1", bare(config, "settings.listen.size", **WITH_GEMS)
          end
        end
      end

      test "where the file requires a gem as well, the bundle's version of such a library is loaded" do
        with_bundle("date", "other") do |variables, folder|
          File.write("#{folder}/shared.rb", "require 'other'")
          ["require 'other'", "require_relative '#{folder}/shared'", "load '#{folder}/shared.rb'"].each do |line|
            assert_equal "4 99", bare("#{line}\nworker_processes Date ? 4 : 1", "Date::VERSION", **variables)
          end
        end
      end

      # Gems of Ruby's own with a line in the bundle of a Rails application: the configuration can require its gems.
      test "before the configuration is read, the server has loaded no library that a bundle may have" do
        program = "require 'coppice/cli/serve_command'; puts $LOADED_FEATURES"
        features, status = Open3.capture2e({ "RUBYOPT" => nil }, RbConfig.ruby, "--disable-gems", "-I", LIBRARY, "-e",
          program)
        folders = RbConfig::CONFIG.values_at("rubyarchdir", "rubylibdir")
        own = features.lines(chomp: true).filter_map do |path|
          folder = folders.find { |one| path.start_with?("#{one}/") } and path.delete_prefix("#{folder}/")[/\A\w+/]
        end

        assert_predicate status, :success?
        assert_includes own, "socket"
        assert_empty own & File.read(RAILS_LOCK).scan(/^    ([\w-]+) \(/).flatten
      end

      test "a library of Ruby's own that was loaded too soon is a mistake with its line, and a remedy that helps" do
        with_bundle("date", "other") do |variables, folder|
          File.write("#{folder}/shared.rb", "require 'other'")
          config = "require File.join('#{folder}', 'shared')\nworker_processes Date::VERSION == 99 ? 4 : 1"
          message = bare(config, "1", **variables)

          assert_match(/\Aconfig.rb:1: Gem::LoadError: You have already activated date /, message)
          assert_match(/\. Begin the file with require "bundler\/setup"\z/, message)
          assert_equal "4 1", bare("require \"bundler/setup\"\n#{config}", "1", **variables)
        end
      end

      test "a hook can require a gem, too" do
        assert_equal "1 true",
          bare("before_fork { require 'rack' }", "settings.hook(:before_fork).call(nil)", **WITH_GEMS)
      end

      test "a gem that is not installed is a mistake with its line" do
        output = bare("\nrequire 'no_such_gem_anywhere'", "1", **WITH_GEMS)
        assert_equal "config.rb:2: LoadError: cannot load such file -- no_such_gem_anywhere", output
      end

      test "suggestions need no gem" do
        assert_equal "config.rb:1: unknown option or hook tiemout. Did you mean timeout?", bare("tiemout 4", "1")
      end

      private

      # Yields variables for a Ruby with a bundle of gems with these names, all of version 99, and the bundle's folder.
      def with_bundle(*names)
        with_tmpdir do |folder|
          names.each do |name|
            File.write("#{folder}/#{name}.rb", "#{name.capitalize} = Class.new { const_set(:VERSION, 99) }")
            File.write("#{folder}/#{name}.gemspec", <<~RUBY)
              Gem::Specification.new("#{name}", "99") do |gem|
                gem.authors = [gem.summary = "test"]
                gem.files = ["#{name}.rb"]
                gem.require_paths = ["."]
              end
            RUBY
          end
          File.write("#{folder}/Gemfile", "path '.' do\n#{names.map { |name| "gem '#{name}'\n" }.join}end\n")
          File.write("#{folder}/Gemfile.lock", <<~LOCK)
            PATH
              remote: .
              specs:
            #{names.map { |name| "    #{name} (99)" }.join("\n")}

            GEM
              specs:

            PLATFORMS
              ruby

            DEPENDENCIES
            #{names.map { |name| "  #{name}!" }.join("\n")}
          LOCK
          yield({ "BUNDLE_GEMFILE" => "#{folder}/Gemfile", "BUNDLE_SILENCE_DEPRECATIONS" => "true" }, folder)
        end
      end

      # Loads the configuration and prints worker_processes and what the code answers, or the message of a ConfigError.
      def bare(config, code, variables = {})
        with_tmpdir do |folder|
          File.write(File.join(folder, "config.rb"), config)
          File.write(File.join(folder, "script.rb"), <<~RUBY)
            require "coppice/config/loader"
            begin
              settings = Coppice::Config::Loader.new(arguments: %w[-c config.rb], environment: {},
                directory: #{folder.inspect}).load
              print settings.worker_processes, " ", (#{code})
            rescue Coppice::ConfigError => error
              print error.message
            end
          RUBY
          output, status = Open3.capture2e(variables.merge("RUBYOPT" => nil), RbConfig.ruby, "-w", "--disable-gems",
            "-I", LIBRARY,
            File.join(folder, "script.rb"))
          assert_predicate status, :success?, output
          output
        end
      end
    end
  end
end
