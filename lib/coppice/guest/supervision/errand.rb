# frozen_string_literal: true

module Coppice
  class Monitor
    # For whom a guest runs: the process that has asked for it at the control socket. It stays connected, and learns
    # from the monitor how the guest has exited. If it disconnects, the guest is told to exit.
    class GuestClient
      attr_reader :uid #: Integer
      attr_reader :pid #: Integer -- 0 for one in a pid namespace that the monitor cannot see
      # The guest.
      attr_accessor :handle #: Handle?

      #: (Control::Endpoint::Peer) -> void
      def initialize(peer)
        @uid = peer.uid
        @pid = peer.pid
        @gone = false
      end

      # It has disconnected.
      #: () -> void
      def leave = @gone = true

      #: () -> bool
      def gone? = @gone

      # The fields that name it in log lines.
      #: () -> Hash[Symbol, Integer]
      def to_log = { uid: uid, client_pid: pid }
    end
  end
end
