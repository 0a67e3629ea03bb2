# frozen_string_literal: true

module Coppice
  class Monitor
    # The first message to a process that the monitor has spawned: what it is to do, with the descriptors for it.
    module Introduction
      # The block sends it. Where the system has no memory or no descriptor left for that, the process is killed: it
      # would wait for the message until its deadline, and no other one takes its place before it is gone.
      #: (Handle, Integer, system: System, log: Log) { () -> void } -> void
      def self.of(handle, pid, system:, log:)
        yield
      rescue SystemCallError => error
        log.error("killing a child that cannot be told what to do", **handle.to_log, pid: pid, error: error.message)
        system.kill(pid)
      end
    end
  end
end
