# frozen_string_literal: true

require "test_helper"
require "open3"
require "tmpdir"
require "coppice/coppice_ext"

module Coppice
  class FreeMemoryTest < TestCase
    BLOCKS = 20_000
    BYTES = 4000 # more than an object holds itself, and less than what malloc maps for itself

    # As musl, whose headers lack malloc_trim, and macOS, which has no malloc.h.
    OTHER_LIBC = { "stdlib.h" => "#include_next <stdlib.h>\n#undef __GLIBC__", "malloc.h" => "#error" }.freeze

    test "what is free below a block that is in use goes back to the kernel" do
      skip "only on Linux" unless OS.supervises?
      blocks = Array.new(BLOCKS) { "x" * BYTES }
      last = "x" * BYTES
      blocks.each(&:clear)
      before = resident_kib
      OS.release_free_memory

      assert_operator resident_kib, :<, before - (BLOCKS * BYTES / 1024 / 2)
      assert_equal BYTES, last.size
    end

    test "another C library than glibc needs no header of glibc's" do
      Dir.mktmpdir do |folder|
        OTHER_LIBC.each { |name, text| File.write("#{folder}/#{name}", text) }
        complaints, status = Open3.capture2e(RbConfig::CONFIG.fetch("CC").split.first, "-fsyntax-only", "-Wall",
          "-Werror", "-D_GNU_SOURCE", "-isystem", folder, "ext/coppice/os/free_memory.c")

        assert_predicate status, :success?, complaints
      end
    end

    private

    def resident_kib = Integer(File.read("/proc/self/smaps_rollup")[/^Rss: +(\d+)/, 1])
  end
end
