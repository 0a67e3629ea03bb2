# frozen_string_literal: true

require "test_helper"
require "fileutils"
require "coppice/control/guest_request"
require "coppice/guest/program"

module Coppice
  class Guest
    class ProgramTest < TestCase
      # A release of an application, and what makes its folder one.
      def release(folder, sign)
        %w[bin config].each { |name| FileUtils.mkdir_p("#{folder}/#{name}") }
        File.write("#{folder}/#{sign}", "")
        File.write("#{folder}/bin/task.rb", "")
        folder
      end

      def check(script, directory:)
        Program.new(Struct.new(:program, :mode).new(script, "program"), directory: directory).check
      end

      test "a script of another release is refused, with Rails and without" do
        %w[config/application.rb config.ru].each do |sign|
          with_tmpdir do |folder|
            running, other = %w[1 2].map { |name| release("#{folder}/#{name}", sign) }
            error = assert_raises(Error) { check("#{other}/bin/task.rb", directory: running) }

            assert_match(/another application than this server's, #{running}\z/, error.message)
          end
        end
      end

      test "scripts of the running release, and those of no application, are taken" do
        with_tmpdir do |folder|
          running = release("#{folder}/1", "config.ru")
          File.symlink(running, "#{folder}/current")
          File.write("#{folder}/task.rb", "")

          check("#{folder}/current/bin/task.rb", directory: running)
          check("#{folder}/task.rb", directory: running)
          pass
        end
      end
    end
  end
end
