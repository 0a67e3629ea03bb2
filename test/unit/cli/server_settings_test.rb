# frozen_string_literal: true

require "test_helper"
require "stringio"
require "coppice/cli"
require "coppice/cli/check_command"
require "coppice/tools/cli/doctor_command"
require "coppice/cli/server_settings"

module Coppice
  class CLI
    # Which directory a server reads its configuration in, and `coppice check` with it.
    class ServerSettingsTest < TestCase
      test "the configuration of the option `directory` replaces that of the directory of the start" do
        in_folders(app: "timeout 8\npidfile File.expand_path(\"pid\")") do |app, start|
          settings, directory = load(start)

          assert_equal 8, settings.timeout
          assert_equal [app, app], [directory, Dir.pwd]
          assert_equal "#{app}/pid", settings.pidfile
        end
      end

      test "the second reading knows that no environment is named" do
        in_folders(app: "listen 3000") do |_, start|
          settings, = load(start)

          assert_equal [%w[0.0.0.0:3000], 1], [settings.listen.map(&:to_s), settings.notes.size]
        end
      end

      test "without another directory the process stays where it is" do
        in_folders do |_, start|
          ["timeout 7", "directory #{start.inspect}"].each do |text|
            File.write("#{start}/config/coppice.rb", text)
            assert_equal [start, start], [load(start).last, Dir.pwd]
          end
        end
      end

      test "a directory without the configuration is refused, as one that is not there" do
        in_folders do |app, start|
          assert_match(/\Aconfig.coppice.rb: directory #{app} has no such file/,
            assert_raises(ConfigError) { load(start) }.message)
        end
        in_folders do |app, start|
          error = assert_raises(ConfigError) { load(start, %w[-c config/coppice.rb]) }
          assert_equal "config/coppice.rb: there is no such file in #{app}. " \
                       "Put it there, or give its absolute path with -c", error.message
        end
        in_folders do |app, start|
          Dir.rmdir("#{app}/config")
          Dir.rmdir(app)
          assert_equal "directory #{app} does not exist", assert_raises(ConfigError) { load(start) }.message
        end
      end

      test "coppice check reads what the server reads" do
        in_folders(app: "timeout 8") do |_, start|
          output = StringIO.new
          CheckCommand.new(["--show"], output: output, environment: {}, directory: start).run
          assert_match(/^timeout +8 /, output.string)
        end
        in_folders do |_, start|
          command = CheckCommand.new([], output: StringIO.new, environment: {}, directory: start)
          assert_raises(ConfigError) { command.run }
        end
      end

      test "Unicorn's working_directory is the directory of the application" do
        in_folders do |app, start|
          File.write("#{start}/config/unicorn.rb", "working_directory #{app.inspect}")
          found = ServerSettings.load(["-c", "#{start}/config/unicorn.rb"], environment: {}, directory: start)

          assert_equal [app, app], [found.last, Dir.pwd]
        end
      end

      test "coppice doctor reads what the server reads" do
        in_folders(app: "worker_processes 0") do |_, start|
          command = DoctorCommand.new([], output: StringIO.new, environment: {}, directory: start)
          assert_match(/worker_processes is 0/, assert_raises(UsageError) { command.run }.message)
        end
      end

      private

      def load(folder, arguments = []) = ServerSettings.load(arguments, environment: {}, directory: folder)

      # Without a block of Dir.chdir: another chdir within it is a warning.
      def in_folders(app: nil)
        before = Dir.pwd
        with_tmpdir do |folder|
          folders = %w[app start].map { |name| File.join(File.realpath(folder), name) }
          folders.each { |path| FileUtils.mkdir_p("#{path}/config") }
          File.write("#{folders[0]}/config/coppice.rb", app) if app
          File.write("#{folders[1]}/config/coppice.rb", "timeout 9\ndirectory #{folders[0].inspect}")
          Dir.chdir(folders[1])
          yield folders
        ensure
          Dir.chdir(before)
        end
      end
    end
  end
end
