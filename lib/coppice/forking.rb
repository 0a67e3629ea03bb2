# frozen_string_literal: true

require "coppice/control/channel"
require "coppice/membership"
require "coppice/os/sibling_fork"

module Coppice
  # Answers a Spawn message: a mold forks a worker or a service worker, a worker forks
  # a mold. Runs in the process that forks, between two pieces of its work.
  class Forking
    #: (Mold | Worker) -> void
    def initialize(parent)
      @parent = parent
      @inheritance = parent.inheritance
      # Half of what the monitor gives: a middle process that hangs is ended by us,
      # before the monitor takes us for the one that hangs.
      @sibling = OS::SiblingFork.new(lock: @inheritance.fork_lock, timeout: @inheritance.settings.spawn_timeout / 2.0)
    end

    # The first descriptor is the child's channel, the others are the listeners that it
    # shall wait on. They are closed here afterwards, so that the monitor sees the
    # channel end when the child dies. No `ensure`: the child leaves by throw and needs them.
    #: (Control::Channel::Packet) -> void
    def call(packet)
      return @parent.log.error("could not fork", why: "no descriptors left") if packet.descriptors.empty?

      membership = membership_for(packet)
      @inheritance.settings.hook(:before_fork)&.call(@inheritance.server)
      made = @sibling.call(announce: membership.method(:announce_fork)) { begin_life(membership, packet) }
      @parent.log.error("could not fork", child: membership.name, why: @sibling.failure) unless made
      packet.descriptors.each(&:close)
    end

    private

    def membership_for(packet)
      spawn = packet.message
      Membership.new(role: spawn.role, purpose: spawn.purpose, nr: spawn.nr, generation: spawn.generation,
                     row: @inheritance.board.row(spawn.row), channel: Control::Channel.new(packet.descriptors.first))
    end

    # In the child. (Child is loaded: its parent lives on it as well.)
    def begin_life(membership, packet)
      @parent.abandon
      Child.begin(inheritance: @inheritance, membership: membership, listeners: packet.descriptors.drop(1),
                  first_request: packet.message.first_request)
    end
  end
end
