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

    test "jemalloc is preloaded with parameters" do
      with_folders do |folder|
        path = install(folder)

        assert_equal({ "LD_PRELOAD" => path, "MALLOC_CONF" => Allocator::TUNING }, variables(folder))
      end
    end

    test "the administrator's parameters are left alone" do
      with_folders do |folder|
        path = install(folder)
        File.symlink("narenas:2", conf = "#{folder}/malloc.conf")

        assert_equal({ "LD_PRELOAD" => path }, variables(folder, system_conf: conf))
      end
    end

    test "the user's library replaces ours, and gets parameters only if it is jemalloc" do
      with_folders do |folder|
        install(folder)

        assert_empty variables(folder, preloaded: "/opt/libtcmalloc.so")
        assert_equal({ "MALLOC_CONF" => Allocator::TUNING }, variables(folder, preloaded: "libother.so:libjemalloc.so"))
      end
    end

    test "there are no variables without jemalloc, nor with the system's malloc" do
      with_folders do |folder|
        assert_empty variables(folder)
        assert_empty Allocator.variables(:system, preloaded: "/opt/libjemalloc.so", folders: [folder])
      end
    end

    private

    def variables(folder, system_conf: "#{folder}/none", **others)
      Allocator.variables(:auto, folders: [folder], system_conf: system_conf, **others)
    end

    def with_folders
      with_tmpdir do |folder|
        yield(*%w[first second third].map { |name| "#{folder}/#{name}".tap { |path| FileUtils.mkdir(path) } })
      end
    end

    # Yields the head of a library for this machine. Answers its path.
    def install(folder)
      head = File.binread(RbConfig.ruby, 64)
      yield head if block_given?
      "#{folder}/#{LIBRARY}".tap { |path| File.binwrite(path, head) }
    end
  end
end
