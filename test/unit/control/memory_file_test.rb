# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/control/channel"
require "coppice/control/memory_file"

class MemoryFileTest < Coppice::TestCase
  MemoryFile = Coppice::Control::MemoryFile

  test "a value of any size can be read by each that gets the file, again and again" do
    value = { paths: Array.new(100_000) { |index| "/päth/#{index}" }, nothing: nil }
    file = MemoryFile.write(value, name: "coppice-test")
    ours, theirs = Coppice::Control::Channel.pair
    read = Array.new(2) do
      ours.send(Coppice::Control::Messages::Stop.new, descriptors: { file: file })
      packet = theirs.receive
      MemoryFile.read(packet.descriptors[:file]).tap { packet.close }
    end

    assert_equal [value, value], read
    assert_predicate file, :close_on_exec?
    [file, ours, theirs].each(&:close)
  end

  test "a file without a value is refused" do
    file = File.for_fd(Coppice::OS.memory_file("coppice-test"), "w+b")

    assert_raises(Coppice::ProtocolMismatch) { MemoryFile.read(file) }
    file.write("nonsense")
    file.flush

    assert_raises(Coppice::ProtocolMismatch) { MemoryFile.read(file) }
    file.close
  end
end
