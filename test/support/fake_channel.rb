# frozen_string_literal: true

require "coppice/control/channel"

# A channel without a socket: what one end sends lies in the other's queue. Like a
# socketpair, it drops what was under way when the reading end is closed, and with it
# the ends of other channels that travelled along.
class FakeChannel
  def self.pair
    one = new
    other = new
    one.peer = other
    other.peer = one
    [one, other]
  end

  attr_accessor :peer
  attr_reader :queue
  attr_writer :unsendable # the class of a message for which the system has no memory, once

  def initialize
    @queue = []
    @holders = 1
  end

  def send(message, descriptors: {})
    return :closed if peer.closed?

    refuse if @unsendable && message.is_a?(@unsendable)

    descriptors.values.flatten.grep(FakeChannel).each(&:dup)
    peer.queue << Coppice::Control::Channel::Packet.new(message, descriptors)
    :sent
  end

  def receive
    return @queue.shift unless @queue.empty?

    peer.closed? ? :closed : :empty
  end

  # One more process holds this end.
  def dup
    @holders += 1
    self
  end

  def close
    return if closed?

    @holders -= 1
    return unless closed?

    @queue.each { |packet| packet.descriptors.values.flatten.grep(FakeChannel).each(&:close) }
    @queue.clear
  end

  def closed? = @holders.zero?
  def to_io = self
  def talking? = !@queue.empty? || peer.closed?

  private

  def refuse
    @unsendable = nil
    raise Errno::ENOBUFS
  end
end
