# frozen_string_literal: true

require "tempfile"
require "test_helper"
require "coppice/board"
require "coppice/os/signals"

module Coppice
  # Processes with a limit of file sizes (ulimit -f), of a thousand bytes here.
  class FileSizeLimitTest < TestCase
    # The exit status of a process that has the limit, and runs the block.
    def status_of
      pid = fork do
        Process.setrlimit(:FSIZE, 1000)
        OS::Signals.outlive_file_size_limit
        yield
        exit!(0)
      end
      Process.wait2(pid).last
    end

    test "a write beyond it raises an error, and the process goes on" do
      Tempfile.create do |file|
        status = status_of do
          file.syswrite("x" * 1000)
          file.syswrite("x")
        rescue Errno::EFBIG
          exit!(7)
        end

        assert_equal 7, status.exitstatus
      end
    end

    test "a program that the process becomes, or spawns, is told as usual" do
      status = status_of do
        _, spawned = Process.wait2(Process.spawn("kill -XFSZ $$"))
        exec("kill -XFSZ $$") if spawned.termsig == Signal.list.fetch("XFSZ")
      end

      assert_equal Signal.list.fetch("XFSZ"), status.termsig
    end

    test "a board that is larger raises an error with the call and the remedy" do
      reader, writer = IO.pipe
      status_of do
        Board.create
      rescue Error => error
        writer.write(error.message)
      end
      writer.close

      assert_match(/ftruncate.*ulimit -f/, reader.read)
    ensure
      reader.close
    end
  end
end
