# frozen_string_literal: true

require "test_helper"
require "coppice/rackup/server"

module Coppice
  class RackupServerTest < TestCase
    # Stands for the Single: somebody touches the restart file while it serves.
    Touched = Struct.new(:stopped_for_good) do
      def run = FileUtils.touch(Rackup::RestartFile::PATH)
      def stop(**) = nil
      def stopped_for_good? = stopped_for_good
    end

    test "a touched restart file starts the server again" do
      assert_equal "bin/rails server", command_after(Touched.new(false))
    end

    test "a server that was stopped for good is not started again for a touched restart file" do
      assert_nil command_after(Touched.new(true))
    end

    private

    # The command that replaces the process when this Single has served; nil for none.
    def command_after(single)
      replaced = nil
      server = Rackup::Server.new(environment: "development", Host: "127.0.0.1", Port: 1,
        restart_cmd: "bin/rails server")
      server.define_singleton_method(:exec) { |command| replaced = command }
      in_folder do |file|
        Rackup::RestartFile.stub(:watch, file) { Single.stub(:new, single) { capture_io { server.run(nil) } } }
      end
      replaced
    end

    # Yields the restart file, at which no thread looks.
    def in_folder
      with_tmpdir do |folder|
        Dir.chdir(folder) do
          FileUtils.mkdir("tmp")
          yield Rackup::RestartFile.new(Rackup::RestartFile::PATH, 1)
        end
      end
    end
  end
end
