# frozen_string_literal: true

module Coppice
  class CLI
    # Tells of a buffer_disk_limit that leaves no room for any large body: clients would get a 507 for each of them.
    class DiskLimit
      MEMORY_BYTES = 112 * 1024 # a larger body does not fit into a slot of the lobby's, and goes to a file

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

        "buffer_disk_limit #{limit} leaves no room for bodies of more than 112 KiB, which are refused with 507: " \
          "raise it, or set request_buffering false"
      end
    end
  end
end
