# frozen_string_literal: true

require "test_helper"
require "coppice/rackup/restart_file"

module Coppice
  class RestartFileTest < TestCase
    test "a file that appears, and one that is touched, call the block once" do
      with_tmpdir do |folder|
        path = File.join(folder, "restart.txt")
        assert_called_after(path) { FileUtils.touch(path) }
        assert_called_after(path) { FileUtils.touch(path, mtime: Time.now + 5) }
      end
    end

    test "a file that stays as it is, or is removed, was not touched" do
      with_tmpdir do |folder|
        path = FileUtils.touch(File.join(folder, "restart.txt")).first
        file = Rackup::RestartFile.new(path, 1)

        refute_predicate file, :touched?
        File.delete(path)
        refute_predicate file, :touched?
      end
    end

    private

    def assert_called_after(path)
      called = Queue.new
      file = Rackup::RestartFile.new(path, BoundedWait::INTERVAL)
      thread = file.watch { called.push(:called) }
      yield

      assert_equal :called, BoundedWait.pop(called)
      assert_predicate file, :touched?
      BoundedWait.value_of(thread)
    end
  end
end
