# frozen_string_literal: true

require "coppice/control/channel"
require "coppice/membership"
require "coppice/os/sibling_fork"

module Coppice
  class Mold
    # Forks workers and service workers. Runs in the mold process; what it hands to
    # a child is the child's own.
    class Nursery
      #: (Mold) -> void
      def initialize(mold)
        @mold = mold
        @inheritance = mold.inheritance
        @sibling = OS::SiblingFork.new(lock: @inheritance.fork_lock, timeout: @inheritance.settings.spawn_timeout)
      end

      # Answers a Spawn message. Its first descriptor is the child's channel, the
      # others are the listeners that the child shall wait on. They are closed here
      # afterwards, so that the monitor sees the channel end when the child dies.
      # No `ensure`: the child leaves by throw and needs them.
      #: (Control::Channel::Packet) -> void
      def fork_child(packet)
        channel, *listeners = packet.descriptors
        membership = membership_for(packet.message, Control::Channel.new(channel))
        @mold.log.error("could not fork", child: membership.name) unless fork_sibling(membership, listeners)
        packet.descriptors.each(&:close)
      end

      private

      def membership_for(spawn, channel)
        row = @inheritance.board.row(spawn.row)
        Membership.new(role: spawn.role, nr: spawn.nr, generation: spawn.generation, row: row, channel: channel)
      end

      def fork_sibling(membership, listeners)
        @inheritance.settings.hook(:before_fork)&.call(@inheritance.server)
        @sibling.call(announce: membership.method(:announce_fork)) { begin_life(membership, listeners) }
      rescue SystemCallError => error
        @mold.log.error("fork failed", child: membership.name, error: error.message)
        true
      end

      # In the child. (Child is loaded: the mold itself lives on it.)
      def begin_life(membership, listeners)
        @mold.abandon
        Child.begin(inheritance: @inheritance, membership: membership, listeners: listeners)
      end
    end
  end
end
