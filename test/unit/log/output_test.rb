# frozen_string_literal: true

require "test_helper"
require "coppice/log"
require "support/bounded_wait"

module Coppice
  # Where the log of a process goes.
  class LogOutputTest < TestCase
    test "a full pipe that nobody reads holds no process: its entries are dropped and counted" do
      IO.pipe do |reader, writer|
        log = Log.new(Log::Output.new(writer, patience: 0.01), role: :mold)
        filled = fill(writer)
        BoundedWait.value_of(Thread.new { 2.times { log.info("nobody reads") } })
        reader.read(filled)
        log.info("read again")

        assert_match(/ msg="read again" dropped=2$/, reader.gets)
      end
    end

    private

    # How many bytes it took.
    def fill(writer)
      bytes = 0
      while (count = writer.write_nonblock("x" * 4096, exception: false)).is_a?(Integer)
        bytes += count
      end
      bytes
    end
  end
end
