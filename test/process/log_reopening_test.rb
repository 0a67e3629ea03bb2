# frozen_string_literal: true

require "test_helper"
require "coppice/config/settings"
require "coppice/log"
require "coppice/log/reopening"

module Coppice
  class Log
    # In processes of their own, since it replaces standard streams.
    class ReopeningTest < TestCase
      # Runs the block in a fork whose standard streams append to files in the folder.
      def with_files(folder)
        child = fork do
          STDOUT.reopen("#{folder}/out", "a")
          STDERR.reopen("#{folder}/err", "a")
          yield
          [STDOUT, STDERR].each(&:flush)
          exit!(0)
        end
        BoundedWait.status_of(child)
        assert_predicate $?, :success?, File.read("#{folder}/err")
      end

      def text(path) = File.exist?(path) ? File.read(path) : nil

      test "standard streams that are files go on in new ones, of the same mode" do
        with_tmpdir do |folder|
          with_files(folder) do
            File.chmod(0o600, "#{folder}/out")
            reopening = Reopening.new
            File.rename("#{folder}/out", "#{folder}/out.1")
            reopening.call { nil }
            STDOUT.write("after")
          end

          assert_equal ["after", "", 0o600], [text("#{folder}/out"), text("#{folder}/out.1"),
                                              File.stat("#{folder}/out").mode & 0o777]
        end
      end

      test "the standard streams append to the files of stdout_path and stderr_path" do
        with_tmpdir do |folder|
          File.write("#{folder}/log", "before ")
          with_files(folder) do
            settings = Config::Settings.new(values: { stdout_path: "#{folder}/log" })
            Reopening.redirect(settings)
            STDOUT.write("after")
            STDERR.write("elsewhere")
          end

          assert_equal ["before after", "elsewhere"], [text("#{folder}/log"), text("#{folder}/err")]
        end
      end

      test "a stream whose file cannot be opened stays as it was" do
        with_tmpdir do |folder|
          with_files(folder) do
            Reopening.redirect(Config::Settings.new(values: { stderr_path: "#{folder}/none/log" }))
          rescue ConfigError => error
            STDERR.write(error.message)
          end

          assert_match(/\Astderr_path cannot be opened \(No such file/, text("#{folder}/err"))
        end
      end

      test "a child takes over what the monitor has opened, but not for a stream of its own" do
        with_tmpdir do |folder|
          with_files(folder) do
            replaces = { standard_output: Reopening.identity(STDOUT), standard_error: Reopening.identity(STDERR) }
            STDERR.reopen("#{folder}/own", "a")
            files = { standard_output: File.open("#{folder}/new_out", "a"),
                      standard_error: File.open("#{folder}/new_err", "a") }
            Reopening.follow(files, replaces)
            STDOUT.write("out")
            STDERR.write("err")
          end

          assert_equal %w[out err], [text("#{folder}/new_out"), text("#{folder}/own")]
          assert_equal "", text("#{folder}/new_err")
        end
      end

      test "files of loggers that were renamed are opened anew, and no others" do
        with_tmpdir do |folder|
          with_files(folder) do
            log, buffered = %w[log buffered].map { |name| File.open("#{folder}/#{name}", "a") }
            log.sync = true
            %w[log buffered].each { |name| File.rename("#{folder}/#{name}", "#{folder}/#{name}.1") }
            Reopening.reopen_renamed_files
            [log, buffered].each { |file| file.write("after") && file.flush }
            STDOUT.write("same")
          end

          assert_equal ["after", "", nil, "after", "same"],
            %w[log log.1 buffered buffered.1 out].map { |name| text("#{folder}/#{name}") }
        end
      end
    end
  end
end
