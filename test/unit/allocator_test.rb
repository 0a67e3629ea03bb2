# frozen_string_literal: true

require "test_helper"
require "rbconfig"
require "coppice/allocator"

module Coppice
  class AllocatorTest < TestCase
    LIBRARY = "libjemalloc.so.2"

    test "the first folder that has it counts" do
      with_folders do |first, second|
        install(first)
        install(second)

        assert_equal "#{first}/#{LIBRARY}", Allocator.library(:auto, folders: [first, second])
        assert_equal "#{first}/#{LIBRARY}", Allocator.library(:jemalloc, folders: [first, second])
      end
    end

    test "a library for another processor is skipped, and a file that is no library" do
      with_folders do |first, second, third|
        install(first) { |elf| elf[18, 2] = "\xFF\xFE".b }
        File.write("#{second}/#{LIBRARY}", "")
        install(third)

        assert_equal "#{third}/#{LIBRARY}", Allocator.library(:auto, folders: [first, second, third])
      end
    end

    test "a missing library is an error only when the setting names it" do
      with_folders do |empty|
        assert_nil Allocator.library(:auto, folders: [empty])
        error = assert_raises(ConfigError) { Allocator.library(:jemalloc, folders: [empty]) }
        assert_match(/#{Regexp.escape(LIBRARY)} is not installed/, error.message)
      end
    end

    test "the system's is never preloaded" do
      with_folders do |folder|
        install(folder)

        assert_nil Allocator.library(:system, folders: [folder])
      end
    end

    private

    def with_folders
      with_tmpdir do |folder|
        yield(*%w[first second third].map { |name| "#{folder}/#{name}".tap { |path| FileUtils.mkdir(path) } })
      end
    end

    # Yields the head of a library for this machine.
    def install(folder)
      head = File.binread(RbConfig.ruby, 64)
      yield head if block_given?
      File.binwrite("#{folder}/#{LIBRARY}", head)
    end
  end
end
