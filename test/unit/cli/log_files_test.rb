# frozen_string_literal: true

require "test_helper"
require "coppice/cli/log_files"
require "coppice/config/settings"

module Coppice
  class CLI
    class LogFilesTest < TestCase
      test "files that exist or can be created are good, and are left as they are" do
        with_tmpdir do |folder|
          File.write("#{folder}/old", "line\n")
          File.mkfifo("#{folder}/pipe")
          File.symlink("#{folder}/target", "#{folder}/link")
          %w[old new pipe link].each { |name| assert_empty warnings("#{folder}/#{name}") }

          assert_equal %w[link old pipe], Dir.children(folder).sort
          assert_equal "line\n", File.read("#{folder}/old")
          assert_empty warnings(nil)
        end
      end

      test "what no log can be written to is named with its reason" do
        with_tmpdir do |folder|
          File.write("#{folder}/file", "")
          File.symlink("#{folder}/none/target", "#{folder}/link")
          { "" => "Is a directory", "/none/access" => "its directory does not exist",
            "/link" => "its directory does not exist", "/file/access" => "Not a directory" }
            .each { |name, reason| assert_equal obstacle(reason, folder + name), warnings(folder + name) }
          lines = File.stub(:writable?, false) { warnings("#{folder}/access") }
          assert_equal obstacle("directory #{File.realpath(folder)} is not writable", "#{folder}/access"), lines
        end
      end

      test "a file that may not be written is named with its reason" do
        with_tmpdir do |folder|
          path = "#{folder}/access"
          File.write(path, "")
          refuse = ->(*) { raise Errno::EACCES, "rb_sysopen - #{path}" }
          assert_equal obstacle("Permission denied", path), File.stub(:open, refuse) { warnings(path) }
        end
      end

      test "the files of the standard streams are tried as well" do
        values = { stdout_path: "/none/out", stderr_path: "/none/err" }
        names = LogFiles.new(Config::Settings.new(values: values)).warnings.map { |line| line[/\S+/] }

        assert_equal %w[stdout_path stderr_path], names
      end

      private

      def warnings(path) = LogFiles.new(Config::Settings.new(values: { access_log: [:text, path] })).warnings

      def obstacle(reason, path)
        ["access_log #{path} cannot be opened by user #{Process.euid}: #{reason}"]
      end
    end
  end
end
