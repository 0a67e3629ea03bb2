# frozen_string_literal: true

require "test_helper"
require "coppice/os/atomic_file"

module Coppice
  class AtomicFileTest < TestCase
    test "a symbolic link is replaced, and where it leads stays as it was" do
      with_tmpdir do |folder|
        File.write("#{folder}/precious", "mine")
        File.symlink("precious", "#{folder}/file")
        OS::AtomicFile.replace("#{folder}/file", "new")

        assert_equal %w[mine new], [File.read("#{folder}/precious"), File.read("#{folder}/file")]
        refute File.symlink?("#{folder}/file")
      end
    end

    test "nobody can guess the name that the file has first" do
      with_tmpdir do |folder|
        names = Array.new(2) do
          assert_raises(Errno::ENOENT) { OS::AtomicFile.replace("#{folder}/none/file", "") }.message[%r{none/.*}]
        end

        assert_match(%r{\Anone/file\.\h{16}\z}, names.first)
        assert_equal 2, names.uniq.size
      end
    end
  end
end
