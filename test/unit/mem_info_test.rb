# frozen_string_literal: true

require "test_helper"
require "open3"
require "rbconfig"
require "coppice"

module Coppice
  class MemInfoTest < TestCase
    LIBRARY = File.expand_path("../../lib", __dir__)

    # Two processes and their recorded rollups: the reading is Rollup's affair.
    Fixed = Class.new(MemInfo) do
      def initialize(rollup)
        @rollup = rollup
      end
    end

    test "one's own memory, in KiB" do
      own = MemInfo.new(Process.pid)
      assert_operator own.rss, :>, 1024
      assert_includes 1..own.rss, own.pss
      assert_equal own.rss, own.shared_memory + own.private_memory
    end

    test "an update sees what has been written since" do
      own = MemInfo.new
      before = own.private_memory
      kept = "x" * (32 * 1024 * 1024)
      assert_same own, own.update
      assert_operator own.private_memory - before, :>, 16 * 1024, "#{kept.bytesize} bytes written"
    end

    test "cow_efficiency is the part of the parent's memory that a child shares" do
      parent = Fixed.new(Memory::Rollup.new(rss: 200, shared: 150))
      child = Fixed.new(Memory::Rollup.new(rss: 100, shared: 80))
      assert_in_delta 40.0, child.cow_efficiency(parent)
      assert_in_delta 80.0, child.shared_percent
    end

    # In a Ruby of its own: here Pitchfork would stay.
    test "it is loaded when it is asked for, and answers to Pitchfork's name" do
      script = 'require "coppice"; print $LOADED_FEATURES.grep(/mem_info|memory/).size; ' \
               'require "coppice/compatibility/pitchfork"; print " ", Pitchfork::MemInfo.equal?(Coppice::MemInfo)'
      output, = Open3.capture2e({ "RUBYOPT" => nil }, RbConfig.ruby, "--disable-gems", "-w", "-I", LIBRARY,
        "-e", script)

      assert_equal "0 true", output
    end

    test "a process that has exited raises an error" do
      assert_raises(Errno::ENOENT) { MemInfo.new(4_194_305) }
    end
  end
end
