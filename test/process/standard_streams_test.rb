# frozen_string_literal: true

require "test_helper"
require "coppice/os/standard_streams"

# What becomes of a fork where $stdout cannot be flushed. Each case runs in a process of its own.
class StandardStreamsTest < Coppice::TestCase
  STREAMS = {
    "that is closed" => -> { File.open(File::NULL, "w").tap(&:close) },
    "that keeps what a full disk refuses" => -> { File.open("/dev/full", "w").tap { |file| file.write("kept") } },
    "that is no IO" => -> { Object.new.tap { |object| def object.write(*) = nil } }
  }.freeze

  STREAMS.each do |name, stream|
    test "a stream #{name} keeps no process from forking" do
      status = in_child(stream) do
        copy = Coppice::OS::StandardStreams.unflushed { Process.fork } or exit!(7)
        BoundedWait.status_of(copy).exitstatus
      end

      assert_equal 7, status
    end
  end

  test "what is buffered is written once, and what is printed meanwhile is not lost" do
    IO.pipe do |reader, writer|
      status = in_child(-> { writer }) do
        print "before "
        Coppice::OS::StandardStreams.unflushed { print("meanwhile") || Process.fork } or exit!(0)
        Process.wait
        $stdout.flush
        3
      end
      writer.close

      assert_equal [3, "before meanwhile"], [status, reader.read]
    end
  end

  private

  # The block's exit status.
  def in_child(stream)
    child = fork do
      $stdout = stream.call
      exit!(yield)
    end
    BoundedWait.status_of(child).exitstatus
  end
end
