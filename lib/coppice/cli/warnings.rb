# frozen_string_literal: true

require "coppice/cli/stop_time"
require "coppice/os/proc_folder"

module Coppice
  class CLI
    # What `serve` and `check` warn of: settings that do not go together with the platform's limits, or with each other,
    # or that let others act, and what the platform lacks. Each is nil where there is nothing to say.
    class Warnings
      # File descriptors of the monitor for each worker: its channel and its inspection socket; with the lobby also the
      # ring, the eventfd and the socket of its seat.
      DIRECT = 2
      WITH_LOBBY = 5
      SURPLUS = Rational(5, 4) # while workers are replaced there are more of them
      RESERVED = 64 # of the monitor itself
      # The largest body in a slot of the lobby (COPPICE_LOBBY_SLOT_BYTES), behind a head that is not long. A larger one
      # goes to a file.
      MEMORY_BYTES = 112 * 1024

      # environment: as the platform has made it. descriptors: the hard limit (RLIMIT_NOFILE); the monitor raises the
      # soft one.
      #: (Config::Settings, Hash[String, String], ?descriptors: Integer, ?proc: String) -> void
      def initialize(settings, environment, descriptors: Process.getrlimit(:NOFILE).last,
                     proc: OS::ProcFolder::OF_THIS_PROCESS)
        @settings = settings
        @environment = environment
        @descriptors = descriptors
        @proc = proc
      end

      #: () -> Array[String]
      def to_a
        stop_time = StopTime.new(@settings, @environment).warning
        [stop_time, descriptor_limit, disk_limit, open_actions, missing_proc].compact
      end

      private

      # Where the number of workers is not known yet there is nothing to compare.
      def descriptor_limit
        workers = @settings.worker_bounds&.max
        return unless workers&.positive?

        needed = RESERVED + (workers * SURPLUS * (@settings.lobby? ? WITH_LOBBY : DIRECT)).ceil
        return if needed <= @descriptors

        "the monitor needs #{needed} file descriptors for #{workers} workers, and may have #{@descriptors}: raise " \
          "the hard limit (ulimit -Hn)"
      end

      # With no room for any large body, clients would get a 507 for each of them.
      def disk_limit
        limit = @settings.buffer_disk_limit
        return if limit > MEMORY_BYTES || !@settings.lobby? || @settings.single? || !@settings.buffers_requests?
        return if (@settings.max_body_bytes || Float::INFINITY) <= MEMORY_BYTES

        "buffer_disk_limit #{limit} leaves no room for bodies of more than #{MEMORY_BYTES / 1024} KiB, which are " \
          "refused with 507: raise it, or set request_buffering or rewindable_input false"
      end

      # At a port each user of the machine, and each program on it, may act. A Unix socket has a mode.
      def open_actions
        return if @settings.admin_token || !@settings.admin_actions

        port = @settings.admin_listen&.find { |address| !address.unix? } or return
        "admin_actions without admin_token lets every user of this machine act on the server at #{port}: set " \
          "admin_token, or let admin_listen be a Unix socket"
      end

      # In a sandbox: in one place for all that is missing then.
      def missing_proc
        return if OS::ProcFolder.exist?(@proc)

        "there is no /proc: commands such as `coppice status` find no server, memory is not measured, and forks are " \
          "not audited"
      end
    end
  end
end
