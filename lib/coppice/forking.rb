# frozen_string_literal: true

require "coppice/control/channel"
require "coppice/membership"
require "coppice/os/sibling_fork"

module Coppice
  # Obeys a Spawn message: a mold forks a worker or a service worker, a worker forks a mold. Runs in the process that
  # forks, between two pieces of its work.
  class Forking
    #: (Mold | Worker) -> void
    def initialize(parent)
      @parent = parent
      @inheritance = parent.inheritance
      # Half of the monitor's own limit: this process kills a middle process that hangs before the monitor takes this
      # process for the one that hangs.
      @sibling = OS::SiblingFork.new(lock: @inheritance.fork_lock, timeout: @inheritance.settings.spawn_timeout / 2.0)
    end

    # The descriptors that came with the message belong to the child. They are closed here after the fork, so that the
    # monitor sees the end of the child's channel when the child exits. No `ensure`: the child leaves this method by
    # throw, and needs them.
    #: (Control::Channel::Packet) -> void
    def call(packet)
      return @parent.log.error("could not fork", why: "no descriptors left") unless packet.descriptors[:channel]

      membership = membership_for(packet)
      call_hook(:before_fork)
      made = @sibling.call(announce: membership.method(:announce_fork)) { begin_life(membership, packet) }
      packet.close
      @parent.log.error("could not fork", child: membership.name, why: @sibling.failure) unless made
      call_hook(:after_fork_in_parent) # also after a failure: what before_fork has stopped must start again
    end

    private

    def membership_for(packet)
      spawn = packet.message
      Membership.new(role: spawn.role, purpose: spawn.purpose, nr: spawn.nr, generation: spawn.generation,
                     first_request: spawn.first_request, row: @inheritance.board.row(spawn.row),
                     channel: Control::Channel.new(packet.descriptors[:channel]))
    end

    def call_hook(name) = @inheritance.call_hook(name, log: @parent.log)

    # In the child. Child is loaded: the parent lives on it as well.
    def begin_life(membership, packet)
      @parent.abandon
      Child.begin(inheritance: @inheritance, membership: membership, **packet.descriptors.except(:channel))
    end
  end
end
