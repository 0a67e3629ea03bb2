# frozen_string_literal: true

module Coppice
  class CLI
    # Tells of a buffer_disk_limit that leaves no room for any large body: clients would get a 507 for each of them.
    class DiskLimit
      # What fits into a slot of the lobby (COPPICE_LOBBY_SLOT_BYTES) behind a head that is not long. A larger body goes
      # to a file.
      MEMORY_BYTES = 112 * 1024

      #: (Config::Settings) -> void
      def initialize(settings)
        @settings = settings
      end

      # nil when there is room, or when no such body is kept.
      #: () -> String?
      def warning
        limit = @settings.buffer_disk_limit
        return if limit > MEMORY_BYTES || !@settings.lobby? || @settings.single? || !@settings.buffers_requests?
        return if (@settings.max_body_bytes || Float::INFINITY) <= MEMORY_BYTES

        "buffer_disk_limit #{limit} leaves no room for bodies of more than #{MEMORY_BYTES / 1024} KiB, which are " \
          "refused with 507: raise it, or set request_buffering or rewindable_input false"
      end
    end
  end
end
