# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/control/channel"

class ChannelTest < Coppice::TestCase
  Messages = Coppice::Control::Messages

  def setup
    @ours, @theirs = Coppice::Control::Channel.pair
  end

  def teardown
    [@ours, @theirs].each { |channel| channel.close unless channel.closed? }
  end

  test "every message of the table arrives as it was sent" do
    Messages::TABLE.each do |name, members|
      klass = Messages.const_get(name)
      message = members.empty? ? klass.new : klass.new(**members.to_h { |member| [member, member.to_s] })
      @ours.send(message)
      received = @theirs.receive.message

      assert_instance_of klass, received
      assert_equal message.to_a, received.to_a
    end
  end

  test "descriptors travel beside a message under their names, and are closed on exec" do
    pipes = Array.new(3) { IO.pipe }
    one, *several = pipes.map(&:last)
    @ours.send(Messages::Stop.new, descriptors: { one: one, several: several, none: [] })
    received = @theirs.receive.descriptors

    assert_equal [IO, Array, Array], received.values_at(:one, :several, :none).map(&:class)
    all = received.values.flatten
    assert_equal(pipes.map { |_, writer| writer.stat.ino }, all.map { |io| io.stat.ino })
    assert all.all?(&:close_on_exec?)
  ensure
    [*all, *pipes&.flatten].each(&:close)
  end

  test "a packet closes all descriptors that came with it, without reading from them" do
    reader, writer = IO.pipe
    before = Dir.children("/proc/self/fd").size
    @ours.send(Messages::Stop.new, descriptors: { one: reader, several: [$stdout, $stderr] })
    @theirs.receive.close

    assert_equal before, Dir.children("/proc/self/fd").size
  ensure
    [reader, writer].each(&:close)
  end

  test "a message that names other descriptors than came is refused, and what came is closed" do
    before = Dir.children("/proc/self/fd").size
    bytes = Marshal.dump([:Stop, { several: 2 }])
    @ours.to_io.sendmsg(bytes, 0, nil, Socket::AncillaryData.unix_rights($stdin))
    error = assert_raises(Coppice::ProtocolMismatch) { @theirs.receive }

    assert_match(/1 descriptors where 2/, error.message)
    assert_equal before, Dir.children("/proc/self/fd").size
  end

  test "descriptors come all or none when there is no room for all" do
    @ours.send(Messages::Stop.new, descriptors: { one: $stdin, other: $stdout })
    packet = with_room_for(1) { @theirs.receive }

    assert_instance_of Messages::Stop, packet.message
    assert_empty packet.descriptors
    assert_match(/no other came/, assert_raises(Errno::EMFILE) { packet.descriptors[:other] }.message)
  end

  # Lets this process have so many descriptors more while the block runs.
  def with_room_for(count)
    GC.start # an IO that nobody holds any more would be closed, and make room, in the middle of it
    limits = Process.getrlimit(:NOFILE)
    free = (0..).lazy.reject { |number| File.symlink?("/proc/self/fd/#{number}") }.first(count + 1)
    Process.setrlimit(:NOFILE, free.last, limits.last)
    yield
  ensure
    Process.setrlimit(:NOFILE, *limits)
  end

  test "empty, closed and malformed are three different answers" do
    assert_equal :empty, @theirs.receive
    @ours.to_io.send("nonsense", 0)
    assert_raises(Coppice::ProtocolMismatch) { @theirs.receive }
    @ours.close
    assert_equal :closed, @theirs.receive
  end

  test "a message that is longer than any is refused, and what came with it is closed" do
    @ours.to_io.sendmsg(Marshal.dump([:Forked, {}, "x" * 64 * 1024]), 0, nil, Socket::AncillaryData.unix_rights($stdin))
    before = Dir.children("/proc/self/fd").size
    error = assert_raises(Coppice::ProtocolMismatch) { @theirs.receive }

    assert_match(/more than 65536 bytes/, error.message)
    assert_equal before, Dir.children("/proc/self/fd").size
  end

  test "a message that is too large is not sent" do
    [64 * 1024, 300_000].each do |size| # what would come in part, and what the kernel would refuse
      error = assert_raises(Coppice::Bug) { @ours.send(Messages::Forked.new(pid: "x" * size)) }

      assert_match(/Forked of #{size / 1000}\d{3} bytes/, error.message)
    end
    assert_equal :empty, @theirs.receive
  end

  test "a message nobody knows is refused" do
    @ours.to_io.send(Marshal.dump([:Unheard, {}, 1]), 0)
    error = assert_raises(Coppice::ProtocolMismatch) { @theirs.receive }

    assert_match(/Unheard/, error.message)
  end

  test "a message with too few values is refused" do
    @ours.to_io.send(Marshal.dump([:Forked, {}]), 0)

    assert_raises(Coppice::ProtocolMismatch) { @theirs.receive }
  end

  test "sending to a full channel says so and does not block" do
    answers = Array.new(100_000) do
      answer = @ours.send(Messages::Stop.new)
      break [answer] if answer == :full

      answer
    end

    assert_equal [:full], answers
  end

  test "sending to a closed channel says so" do
    @theirs.close

    assert_equal :closed, @ours.send(Messages::Stop.new)
  end
end
