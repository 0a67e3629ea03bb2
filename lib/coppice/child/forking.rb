# frozen_string_literal: true

require "coppice/child/membership"
require "coppice/child/quick_exit"
require "coppice/control/channel"
require "coppice/errors"
require "coppice/fork_safety/audit"
require "coppice/os/proc_folder"
require "coppice/os/sibling_fork"

module Coppice
  module Child
    # Carries out a Spawn message: a mold forks a worker, a service or a guest, a worker forks a mold. Runs in the
    # process that forks, between two pieces of its work.
    class Forking
      #: (Mold | Worker) -> void
      def initialize(parent)
        @parent = parent
        @inheritance = parent.inheritance
        @sibling = sibling_fork(@inheritance.settings)
      end

      # The descriptors that came with the message belong to the child. They are closed here after the fork, so that the
      # monitor sees the end of the child's channel when the child exits. No `ensure`: the child leaves this method by
      # throw, and needs them.
      #: (Control::Channel::Packet) -> void
      def call(packet)
        return @parent.log.error("could not fork", why: "no descriptors left") if packet.descriptors.empty?

        membership = membership_for(packet)
        fork_child(membership, packet) if hook_passed?(:before_fork)
        packet.close
        hook_passed?(:after_fork_in_parent) # also after a failure: what before_fork has stopped must start again
      end

      private

      # Together less than the monitor's own limit: this process knows which thread or which middle process hangs before
      # the monitor takes this process for the one that hangs.
      def sibling_fork(settings)
        OS::SiblingFork.new(lock: @inheritance.fork_lock, timeout: settings.spawn_timeout / 2.0,
                            patience: settings.spawn_timeout * 0.4,
                            prepare: settings.quick_exit ? QuickExit.method(:note_objects) : ->(_) {})
      end

      def membership_for(packet)
        spawn = packet.message.to_h
        Membership.new(**spawn, row: @inheritance.board.row(spawn[:row]), of_cold_mold: @parent.membership.cold?,
                                channel: Control::Channel.new(packet.descriptors[:channel]))
      end

      def fork_child(membership, packet)
        membership.audit = begin_audit(membership)
        made = @sibling.call(announce: membership.method(:announce_fork)) { run_child(membership, packet) }
        @audited ||= made && membership.worker?
        warn_of_loading_threads(membership)
        @parent.log.error("could not fork", child: membership.name, why: @sibling.failure) unless made
      end

      # Whether the hook raised nothing. This process may serve a client: it goes on, without a fork.
      def hook_passed?(name)
        @parent.membership.row.during_hook(name) { @inheritance.call_hook(name, log: @parent.log) }
        true
      rescue UserCodeError => error # from the user's hook
        @parent.log.exception("#{name} failed", error)
        false
      end

      def warn_of_loading_threads(membership)
        @sibling.loading.each do |thread|
          @parent.log.warn("fork while a thread loads code", child: membership.name, thread: thread.inspect)
        end
      end

      # A mold's first worker stands for all of them.
      def begin_audit(membership)
        return if @inheritance.settings.fork_audit == :off || @audited || membership.service?
        return unless OS::ProcFolder.exist? # the monitor has said so (CLI::Warnings)

        audit = ForkSafety::Audit.new(previous: @parent.membership.audit)
        audit.note_inherited if membership.worker?
        audit
      rescue StandardError => error # from the application's threads, or no descriptor is left: this process goes on
        @parent.log.exception("fork audit failed", error)
        nil
      end

      # In the child. Child needs no require: the parent runs inside Child.run.
      def run_child(membership, packet)
        @parent.close_in_copy
        Child.run_on_clean_stack(inheritance: @inheritance, membership: membership,
                                 **packet.descriptors.except(:channel))
      end
    end
  end
end
