# frozen_string_literal: true

module Coppice
  class Guest
    class Supervision
      # What a guest is forked for: a program of the process that has asked for it at the control socket. That one stays
      # connected, and learns from the monitor how the guest has exited. If it disconnects, the guest is told to exit.
      class Errand
        attr_reader :descriptors #: Hash[Symbol, IO] -- the guest's streams and its request, by name
        attr_reader :handle      #: Monitor::Handle? -- of the guest

        # peer: its pid is 0 for a client in a pid namespace that the monitor cannot see.
        #: (Control::Endpoint::Peer, Hash[Symbol, IO]) -> void
        def initialize(peer, descriptors)
          @peer = peer
          @descriptors = descriptors
          @gone = false
        end

        def role = :guest #: () -> Symbol

        # The guest was asked for.
        #: (Monitor::Handle) -> void
        def begun(handle)
          @handle = handle
          handle.row.client_uid = @peer.uid
          handle.row.client_pid = @peer.pid
        end

        # The guest has come to its program.
        #: (Config::Settings, Log) -> void
        def ready(settings, log)
          limit = settings.guest_timeout
          handle.row.guest_deadline_ms = ((handle.ready_at + limit) * 1000).to_i if limit
          log.info("guest started", **handle.to_log, **to_log, run: handle.row.request)
        end

        # The client has disconnected.
        #: () -> void
        def leave = @gone = true

        #: () -> bool
        def gone? = @gone

        # The fields that name the client in log lines.
        #: () -> Hash[Symbol, Integer]
        def to_log = { uid: @peer.uid, client_pid: @peer.pid }
      end
    end
  end
end
