# frozen_string_literal: true

require "test_helper"
require_relative "../../support/recorded_memory"

module Coppice
  module Memory
    class SmapsTest < TestCase
      SECTION = <<~TEXT
        7fce9f9dc000-7fcea79d9000 ---p 00000000 00:00 0
        Size:             131060 kB
        Rss:                   0 kB
        Pss:                   0 kB
        Swap:                  0 kB
        VmFlags: mr mw me nr
        7fff4ea20000-7fff4ea40000 rw-p 00000000 fe:00 248069                     /srv/a file (deleted)
        Size:                128 kB
        Rss:                 120 kB
        Pss:                  31 kB
        Shared_Clean:          1 kB
        Shared_Dirty:         99 kB
        Private_Clean:         2 kB
        Private_Dirty:        18 kB
        Anonymous:           110 kB
        Swap:                  8 kB
        VmFlags: rd wr mr mw me
      TEXT

      test "a mapping has its addresses, its sizes and its name" do
        reserved, file = Smaps.parse(SECTION)
        assert_equal [0x7fce9f9dc000, 0x7fcea79d9000, 131_060, ""],
          [reserved.start, reserved.finish, reserved.kib, reserved.name]
        assert_equal "/srv/a file (deleted)", file.name
        assert_equal({ rss: 120, pss: 31, shared: 100, private: 20, anonymous: 110, swap: 8 }, file.sizes.to_h)
      end

      test "a mapping is reserved, executable, writable, touched or aligned" do
        reserved, file = Smaps.parse(SECTION)
        assert_equal [true, true, false], [reserved.reserved?, reserved.unnamed?, reserved.touched?]
        assert_equal [false, false, true, true], [file.reserved?, file.executable?, file.writable?, file.touched?]
        assert file.aligned?(128 * 1024)
        refute file.aligned?(256 * 1024)
      end

      test "the mappings of a recorded worker add up to its rollup" do
        RecordedMemory::NAMES.each do |name|
          all = Rollup.parse(RecordedMemory.text(name, "smaps_rollup"))
          sum = Rollup.sum(RecordedMemory.mappings(name).map(&:sizes))
          assert_equal [all.rss, all.shared, all.private, all.swap], [sum.rss, sum.shared, sum.private, sum.swap], name
          assert_includes (sum.pss..sum.pss + 300), all.pss, "#{name}: the kernel rounds each mapping down"
        end
      end

      test "a malformed list of mappings is an error" do
        assert_raises(Error) { Smaps.parse("Rss: 1 kB\n") }
      end

      test "an exiting process has an empty list" do
        assert_empty Smaps.parse("")
      end
    end
  end
end
