# frozen_string_literal: true

require "test_helper"
require "coppice/os/pidfile"

module Coppice
  class PidfileTest < TestCase
    test "the file has the pid while the block runs, and what the block answers is passed on" do
      with_tmpdir do |folder|
        path = File.join(folder, "server.pid")
        answer = OS::Pidfile.hold(path) { [Dir.children(folder), File.read(path)] }

        assert_equal [["server.pid"], "#{Process.pid}\n"], answer
        assert_empty Dir.children(folder)
      end
    end

    test "it is removed after an error too" do
      with_tmpdir do |folder|
        assert_raises(Interrupt) { OS::Pidfile.hold("#{folder}/server.pid") { raise Interrupt } }
        assert_empty Dir.children(folder)
      end
    end

    test "a file that another server has replaced stays" do
      with_tmpdir do |folder|
        path = File.join(folder, "server.pid")
        OS::Pidfile.hold(path) { File.write(path, "1\n") }

        assert_equal "1\n", File.read(path)
      end
    end

    test "a link, and what would block a reader, is another's" do
      with_tmpdir do |folder|
        path = File.join(folder, "server.pid")
        [-> { File.symlink("other", path) }, -> { File.mkfifo(path) }].each do |replace|
          OS::Pidfile.hold(path) do
            File.rename(path, "#{folder}/other")
            replace.call
          end

          assert File.unlink(path)
        end
      end
    end

    test "without a path there is no file, and one that cannot be written is a mistake" do
      assert_equal 5, OS::Pidfile.hold(nil) { 5 }
      error = assert_raises(Error) { OS::Pidfile.hold("/proc/none/server.pid") { flunk } }
      assert_match(%r{\Apidfile /proc/none/server.pid cannot be written: }, error.message)
    end

    test "one that cannot be written leaves no other file behind" do
      with_tmpdir do |folder|
        Dir.mkdir("#{folder}/server.pid")

        assert_raises(Error) { OS::Pidfile.hold("#{folder}/server.pid") { flunk } }
        assert_equal ["server.pid"], Dir.children(folder)
      end
    end
  end
end
