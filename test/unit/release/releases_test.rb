# frozen_string_literal: true

require "test_helper"
require "coppice/config/settings"
require "coppice/monitor/rolls/releases"

module Coppice
  class Monitor
    class ReleasesTest < TestCase
      # Yields a folder with the directory of a release, and the symlink `current` to it.
      def deployed
        with_tmpdir do |folder|
          folder = File.realpath(folder)
          Dir.mkdir("#{folder}/1")
          File.symlink("#{folder}/1", "#{folder}/current")
          yield folder
        end
      end

      # The release that a server begins with which was started with these variables.
      def first(folder, environment, **values)
        release = Release.new(number: 1, directory: "#{folder}/1", settings: Config::Settings.new(values: values),
                              environment: environment, ruby: "ruby", executable: "coppice").freeze
        Releases.new(release, arguments: [], environment: environment).first
      end

      test "the first release keeps its own Gemfile when the symlink leads elsewhere later" do
        deployed do |folder|
          gemfile = { "BUNDLE_GEMFILE" => "#{folder}/current/Gemfile" }
          own = { "BUNDLE_GEMFILE" => "#{folder}/1/Gemfile" }

          assert_equal own, first(folder, gemfile, directory: "#{folder}/current").environment
          assert_equal own, first(folder, own).environment
          assert_equal "#{folder}/current", first(folder, { "PWD" => "#{folder}/current" }).environment["PWD"]
        end
      end

      # Where a server finds its next release that was started with this option, once `current` leads to release 2.
      def next_release(directory, environment)
        deployed do |folder|
          Dir.mkdir("#{folder}/2")
          release = Release.new(number: 1, directory: "#{folder}/1", environment: {}, ruby: "ruby",
                                executable: "coppice", settings: Config::Settings.new(values: {
                                  directory: directory.sub("FOLDER", folder)
                                })).freeze
          environment = environment.transform_values { |value| value.sub("FOLDER", folder) }
          releases = Releases.new(release, arguments: [], environment: environment)
          File.unlink("#{folder}/current")
          File.symlink("#{folder}/2", "#{folder}/current")
          File.basename(releases.resolve)
        end
      end

      test "an option that names the first release without its symlink does not replace the name of the shell" do
        by_symlink = { "PWD" => "FOLDER/current" }

        assert_equal %w[2 2 2], ["FOLDER/1", "FOLDER/1/", "FOLDER/1/."].map { |path| next_release(path, by_symlink) }
        assert_equal "2", next_release("FOLDER/current", {})
        assert_equal "1", next_release("FOLDER/1", { "PWD" => "FOLDER" })
      end

      # What is asked of a release in this directory.
      def check_of(directory) = Struct.new(:directory, :environment).new(directory, ENV.to_h)

      test "each release has the rackup file in its own directory, though the flags name that of the first one" do
        deployed do |folder|
          Dir.mkdir("#{folder}/2")
          release = Release.new(number: 1, directory: "#{folder}/1", environment: {}, ruby: "ruby",
                                executable: "coppice", settings: Config::Settings.new(rackup: "config.ru")).freeze
          releases = Releases.new(release, arguments: ["-E", "test", "#{folder}/1/config.ru"], environment: {})
          settings, = releases.configuration(check_of("#{folder}/2"))

          assert_equal %w[config.ru test], [settings.rackup, settings.environment_name]
        end
      end

      test "each release has the configuration file in its own directory, though the flags name that of `current`" do
        with_shared_files do |folder, releases|
          path = "#{folder}/current/config/coppice.rb"
          first = Release.new(**releases.first.to_h, settings: Config::Settings.new(config_file: "config/coppice.rb"))
          [["-c", path], ["-c#{path}"], ["--config-file", path], ["--config=#{path}"]].each do |flags|
            releases = Releases.new(first, arguments: ["-E", "test", *flags], environment: {})

            assert_equal 2, workers_in(releases, "#{folder}/2")
          end
        end
      end

      # Both directories have a configuration that requires another file, with the number of workers.
      def with_shared_files
        deployed do |folder|
          %w[1 2].each do |name|
            FileUtils.mkdir_p("#{folder}/#{name}/config")
            File.write("#{folder}/#{name}/config/coppice.rb",
              "require_relative 'shared'\nworker_processes $of_shared_file")
            File.write("#{folder}/#{name}/config/shared.rb", "$of_shared_file = #{name}")
          end
          release = Release.new(number: 1, directory: "#{folder}/1", settings: Config::Settings.new, environment: {},
                                ruby: "ruby", executable: "coppice").freeze
          yield folder, Releases.new(release, arguments: [], environment: {})
        end
      end

      def workers_in(releases, directory) = releases.configuration(check_of(directory)).first.worker_processes

      test "a file that the configuration requires is that of each release, as it is now" do
        with_shared_files do |folder, releases|
          seen = %w[1 2 1].map { |name| workers_in(releases, "#{folder}/#{name}") }
          File.write("#{folder}/1/config/shared.rb", "$of_shared_file = 1 + 2")

          assert_equal [1, 2, 1, 3], [*seen, workers_in(releases, "#{folder}/1")]
        end
      end

      test "a file that is the same is not loaded again for a roll in place" do
        with_shared_files do |folder, releases|
          workers_in(releases, "#{folder}/1")
          text = "loaded = require_relative('shared')\nworker_processes loaded ? 8 : 9"
          File.write("#{folder}/1/config/coppice.rb", text)

          assert_equal 9, workers_in(releases, "#{folder}/1")
        end
      end

      test "a file by the symlink is loaded again as well; those of gems below the directory, and others, are not" do
        with_shared_files do |folder, releases|
          gem = Struct.new(:full_gem_path).new("#{folder}/1/vendor/shipped")
          files = %w[current/config/a.rb 1/vendor/shipped/b.rb 10/c.rb].map { |name| "#{folder}/#{name}" }
          Gem.loaded_specs["shipped"] = gem
          $LOADED_FEATURES.concat(files)
          linked = Release.new(**releases.first.to_h, settings: Config::Settings.new(values: {
            directory: "#{folder}/current"
          })).freeze
          workers_in(Releases.new(linked, arguments: [], environment: {}), "#{folder}/2")

          assert_equal files.drop(1), files & $LOADED_FEATURES
        ensure
          Gem.loaded_specs.delete("shipped")
        end
      end

      test "a gem that the bundle of an earlier release lacks is reported as such" do
        with_shared_files do |folder, releases|
          Config::Gems.instance_variable_set(:@gemfile, "#{folder}/1/Gemfile")
          File.write("#{folder}/2/config/coppice.rb", "require 'a_gem_of_release_2'")
          error = assert_raises(ConfigError) { workers_in(releases, "#{folder}/2") }

          assert_match(%r{cannot load such file -- a_gem_of_release_2.* bundle of \S+/1/Gemfile: restart it},
                       error.message)
        ensure
          Config::Gems.instance_variable_set(:@gemfile, nil)
        end
      end

      test "a configuration file that hangs is given up, and the directory and the variables are as before" do
        deployed do |folder|
          Dir.mkdir("#{folder}/1/config")
          File.write("#{folder}/1/config/coppice.rb", "ENV['SET_BY_FILE'] = '1'; sleep")
          release = Release.new(number: 1, directory: "#{folder}/1", settings: Config::Settings.new, environment: {},
                                ruby: "ruby", executable: "coppice").freeze
          releases = Releases.new(release, arguments: [], environment: {}, evaluation_seconds: 0.05)
          before = Dir.pwd
          error = assert_raises(Error) { releases.configuration(check_of("#{folder}/1")) }

          assert_equal "the configuration file in #{folder}/1 takes longer than 0.05 s", error.message
          assert_equal [before, nil], [Dir.pwd, ENV.fetch("SET_BY_FILE", nil)]
        end
      end

      # While a hook, which has a thread of its own, is in a block of Dir.chdir.
      def while_a_hook_is_elsewhere
        entered, gate = Thread::Queue.new, Thread::Queue.new
        hook = Thread.new { Dir.chdir("/") { entered.push(true) && gate.pop } }
        entered.pop
        yield
      ensure
        gate << :open
        hook.join
      end

      test "the directory of a release is entered once no hook is in a block of Dir.chdir" do
        before = Dir.pwd
        deployed do |folder|
          release = Release.new(number: 1, directory: "#{folder}/1", settings: Config::Settings.new,
                                environment: ENV.to_h, ruby: "ruby", executable: EXECUTABLE).freeze
          releases = Releases.new(release, arguments: [], environment: {})
          check = check_of("#{folder}/1")
          while_a_hook_is_elsewhere do
            releases.adopt(release)

            assert_match(/a hook .* Dir.chdir/, assert_raises(Error) { releases.configuration(check) }.message)
            releases.enter

            assert_equal "/", Dir.pwd
          end
          releases.enter

          assert_equal "#{folder}/1", Dir.pwd
        ensure
          Dir.chdir(before)
        end
      end

      test "so it does where only the Gemfile is named by the symlink" do
        deployed do |folder|
          release = first(folder, { "BUNDLE_GEMFILE" => "#{folder}/current/Gemfile" })

          assert_equal "#{folder}/1/Gemfile", release.environment["BUNDLE_GEMFILE"]
          assert_predicate release, :frozen?
        end
      end

      test "a Gemfile elsewhere stays, and a server without one has none" do
        deployed do |folder|
          elsewhere = { "BUNDLE_GEMFILE" => "#{folder}/shared/Gemfile" }

          assert_equal elsewhere, first(folder, elsewhere, directory: "#{folder}/current").environment
          assert_empty first(folder, {}, directory: "#{folder}/current").environment
        end
      end
    end
  end
end
