# frozen_string_literal: true

require "test_helper"
require "stringio"
require "coppice/cli"
require "coppice/tools/cli/import_command"

module Coppice
  class CLI
    class ImportTest < TestCase
      PUMA = "workers 2\nport ENV.fetch(\"PORT\", 3000)\nplugin :tmp_restart\n"

      # Runs the command in a folder with these files; answers the folder's path to the block, with both outputs.
      def import(*words, files: { "config/puma.rb" => PUMA })
        with_tmpdir do |folder|
          Dir.chdir(folder) do
            files.each do |path, text|
              FileUtils.mkdir_p(File.dirname(path))
              File.write(path, text)
            end
            output, error = StringIO.new, StringIO.new
            status = ImportCommand.new(words, output: output, error: error).run
            yield status, output.string, error.string
          end
        end
      end

      def complaint(error, *words, **options) = assert_raises(error) { import(*words, **options) { nil } }.message

      test "writes config/coppice.rb and prints what became of each directive" do
        import("config/puma.rb") do |status, output, error|
          assert_equal [0, ""], [status, error]
          assert_match(/^worker_processes 2$/, File.read("config/coppice.rb"))
          assert_match(/\Aconfig\/coppice\.rb is written from config\/puma\.rb \(Puma\)$/, output)
          assert_match(/^changed\n.*line 1    workers .*^dropped\n.*line 3    plugin .*`bin\/rails restart`/m, output)
          assert_match(/coppice check -c config\/coppice\.rb/, output)
        end
      end

      test "finds the only configuration that there is" do
        import { |_, output, _| assert_match(/from config\/puma\.rb/, output) }
        import(files: { "config/unicorn.rb" => "timeout 9" }) { |_, output, _| assert_match(/\(Unicorn\)/, output) }
        assert_match(/there is no config\/puma\.rb and no config\/unicorn\.rb: name the file/,
          complaint(UsageError, files: {}))
        assert_match(/\Aconfig\/puma\.rb and config\/unicorn\.rb: name the file/,
          complaint(UsageError, files: { "config/puma.rb" => "", "config/unicorn.rb" => "" }))
      end

      test "replaces no file, unless it is forced to" do
        files = { "config/puma.rb" => PUMA, "config/coppice.rb" => "mine", "other.rb" => "mine" }
        assert_equal "config/coppice.rb exists. Give --force to replace it, or -o FILE",
          complaint(Error, "config/puma.rb", files: files)
        assert_match(/\Aother\.rb exists/, complaint(Error, "config/puma.rb", "--output", "other.rb", files: files))
        import("config/puma.rb", "--force", files: files) do
          assert_match(/worker_processes 2/, File.read("config/coppice.rb"))
        end
        import("config/puma.rb", "-o", "new/file.rb", files: files) do |_, output, _|
          assert_match(/coppice check -c new\/file\.rb/, output)
          assert_match(/worker_processes 2/, File.read("new/file.rb"))
          assert_equal "mine", File.read("config/coppice.rb")
        end
      end

      test "to standard output, with the report on standard error" do
        import("config/puma.rb", "-o", "-") do |_, output, error|
          assert_match(/^listen ENV\.fetch\("PORT", 3000\)$/, output)
          refute_match(/^dropped/, output)
          assert_match(/^dropped/, error)
          refute File.exist?("config/coppice.rb")
        end
      end

      test "wrong arguments are reported with a remedy" do
        assert_match(/\Ausage: coppice import/, complaint(UsageError, "a", "b"))
        assert_equal "unknown flag --forse. Did you mean --force?", complaint(UsageError, "--forse")
        assert_equal "none.rb cannot be read: No such file or directory", complaint(Error, "none.rb")
        assert_equal "a.rb is not in UTF-8: convert it first",
          complaint(Error, "a.rb", files: { "a.rb" => "# caf\xE9\nworkers 2\n" })
        assert_match(/no directive of Puma or Unicorn/, complaint(Error, "a.rb", files: { "a.rb" => "1" }))
      end

      test "nothing of the file is run" do
        files = { "config/puma.rb" => "raise 'run'\nworkers 2" }
        import("config/puma.rb", files: files) { |status| assert_equal 0, status }
      end
    end
  end
end
