# frozen_string_literal: true

require "coppice/control/messages"
require "coppice/monitor/state/handle"

module Coppice
  class Monitor
    # Puts new children on the roster, and asks molds and workers to fork them.
    class ForkRequests
      #: (Context) -> void
      def initialize(context)
        @system = context.system
        @roster = context.roster
        @rows = context.rows
      end

      # Asks a process to fork a child: sends it the child's end of a new channel. If that process is gone, or its
      # channel is full, the child's end is closed here, and the child counts as never forked. A block gets the new
      # handle, and returns further descriptors. first_request: as of Control::Messages::Spawn.
      #: (Handle, ChildKind, deadline: Float, ?first_request: bool)
      #    ?{ (Handle) -> Hash[Symbol, IO | Array[IO]] } -> Handle
      def call(parent, kind, deadline:, first_request: false)
        ours, theirs = @system.channel_pair
        ours_too, inspection = @system.channel_pair if kind.worker?
        handle = add(kind, ours, deadline, parent: parent)
        handle.inspection = ours_too
        more = block_given? ? yield(handle) : {}
        ends = { channel: theirs, inspection: inspection }.compact.transform_values(&:to_io)
        parent.channel.send(message(handle, kind, first_request), descriptors: { **ends, **more })
        handle
      ensure
        theirs&.close
        inspection&.close
        ours&.close unless handle
      end

      #: (Steps::SpawnService, Float) -> void
      def spawn_service(step, now)
        clients = { handshakes: @roster.handshakes.service_end } if step.service.path
        kind = ChildKind.new(:service, generation: step.mold.generation, service: step.service)
        call(step.mold, kind, deadline: deadline(step.mold, now)) { clients.to_h }
      end

      #: (Steps::SpawnErrand, Float) -> void
      def spawn_errand(step, now)
        kind = ChildKind.new(step.errand.role, generation: step.mold.generation)
        call(step.mold, kind, deadline: deadline(step.mold, now)) do |handle|
          handle.errand = step.errand
          step.errand.begun(handle)
          step.errand.descriptors
        end
      end

      # When the next child of a mold must be forked (monotonic seconds). It makes one fork after the other. In a mold
      # that has forked nothing yet, before_fork may prepare what all its children share.
      #: (Handle, Float) -> Float
      def deadline(mold, now)
        settings = @roster.settings_of(mold)
        before = @roster.requested_of(mold).map(&:deadline)
        first = before.empty? && !mold.forked_any
        [now, *before].max + (first ? settings.mold_timeout : settings.spawn_timeout)
      end

      # A child with a row of its own. parent, release: as of Handle.
      #: (ChildKind, Control::Channel, Float, **untyped) -> Handle
      def add(kind, channel, deadline, **origin)
        row = @rows.take(role: kind.role, nr: kind.nr, generation: kind.generation)
        row.service_name = kind.service&.name.to_s
        row.parent_pid = origin[:parent]&.pid || 0
        handle = Handle.new(kind, row: row, channel: channel, deadline: deadline, **origin)
        row.release_number = handle.release&.number || 0
        @roster.add(handle)
      rescue SystemCallError # its channel cannot be watched
        @rows.release(row)
        raise
      end

      private

      def message(handle, kind, first_request)
        Control::Messages::Spawn.new(role: kind.role, purpose: kind.purpose, nr: kind.nr, generation: kind.generation,
                                     service: kind.service&.name, row: handle.row.index, seat: handle.seat&.number,
                                     first_request: first_request)
      end
    end
  end
end
