# frozen_string_literal: true

require "test_helper"
require "coppice/errors"
require "coppice/cli/first_stderr"
require "support/bounded_wait"

class FirstStderrTest < Coppice::TestCase
  SET_PIPE_SIZE = 1031 # F_SETPIPE_SZ of linux/fcntl.h

  FirstStderr = Coppice::CLI::FirstStderr

  def with_stream
    reader, stream = IO.pipe
    first = FirstStderr.new(stream)
    yield reader, stream, first
  ensure
    first&.close
    [reader, stream].each(&:close)
  end

  test "an error is written to the first stream once the stream leads elsewhere" do
    with_stream do |reader, stream, first|
      first.tell(Coppice::Error.new("too early"))
      stream.reopen(File::NULL, "w")
      first.tell(Coppice::Error.new("no room"))

      assert_equal "coppice: no room\n", reader.read_nonblock(100)
    end
  end

  test "what ends the start is told, also what is no error of Coppice, and what ends a running server is not" do
    with_stream do |reader, stream|
      assert_raises(RuntimeError) { FirstStderr.watch(stream) { stream.reopen(File::NULL) && raise("no reason") } }
      assert_equal "coppice: no reason (RuntimeError)\n", reader.read_nonblock(100)
    end
    with_stream do |reader, stream, first|
      assert_raises(RuntimeError) do
        FirstStderr.watch(stream) do |watched|
          stream.reopen(File::NULL)
          watched.close
          raise "no reason"
        end
      end
      first.close

      assert_nil reader.read(1)
    end
  end

  test "a first stream that is full, and that nobody reads, holds nothing up" do
    with_stream do |_reader, stream, first|
      stream.write("x" * stream.fcntl(SET_PIPE_SIZE, 4096))
      stream.reopen(File::NULL, "w")

      assert Thread.new { first.tell(Coppice::Error.new("no room")) }.join(BoundedWait::SECONDS)
    end
  end
end
