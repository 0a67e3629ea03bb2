# frozen_string_literal: true

require "test_helper"
require "coppice/errors"
require "coppice/cli/first_stderr"
require "support/bounded_wait"

class FirstStderrTest < Coppice::TestCase
  SET_PIPE_SIZE = 1031 # F_SETPIPE_SZ of linux/fcntl.h

  def with_stream
    reader, stream = IO.pipe
    first = Coppice::CLI::FirstStderr.new(stream)
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

  test "a first stream that is full, and that nobody reads, holds nothing up" do
    with_stream do |_reader, stream, first|
      stream.write("x" * stream.fcntl(SET_PIPE_SIZE, 4096))
      stream.reopen(File::NULL, "w")

      assert Thread.new { first.tell(Coppice::Error.new("no room")) }.join(BoundedWait::SECONDS)
    end
  end
end
