# frozen_string_literal: true

require "coppice/control/channel"
require "coppice/membership"
require "coppice/os/sibling_fork"

module Coppice
  class Worker
    # Forks the next mold from a worker. Runs in the worker process, between two
    # requests; the worker goes on serving afterwards, unless its hook raised.
    class Promotion
      #: (Worker) -> void
      def initialize(worker)
        @worker = worker
        @inheritance = worker.inheritance
      end

      # Answers a Promote message; its one descriptor is the new mold's channel.
      # No `ensure`: the child leaves by throw and needs it.
      #: (Control::Channel::Packet) -> void
      def call(packet)
        channel = Control::Channel.new(packet.descriptors.first)
        fork_mold(membership_for(packet.message, channel)) if Info.fork_safe?
        channel.close # an unanswered promotion ends here, and the monitor sees it end
      end

      private

      def membership_for(promote, channel)
        row = @inheritance.board.row(promote.row)
        Membership.new(role: :mold, generation: promote.generation, row: row, channel: channel)
      end

      def fork_mold(membership)
        @inheritance.settings.hook(:before_fork)&.call(@inheritance.server)
        sibling = OS::SiblingFork.new(lock: @inheritance.fork_lock, timeout: @inheritance.settings.spawn_timeout)
        made = sibling.call(announce: membership.method(:announce_fork)) { begin_life(membership) }
        @worker.log.error("could not fork a mold") unless made
      rescue SystemCallError => error
        @worker.log.error("could not fork a mold", error: error.message)
      end

      # In the child. (Child is loaded: the worker itself lives on it.)
      def begin_life(membership)
        @worker.abandon
        Child.begin(inheritance: @inheritance, membership: membership)
      end
    end
  end
end
