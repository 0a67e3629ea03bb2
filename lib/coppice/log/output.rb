# frozen_string_literal: true

require "coppice/log/json_format"
require "coppice/log/text_format"

module Coppice
  class Log
    # Writes entries to an IO when the user has no logger of their own: one write(2) for each, so that the lines of
    # several processes do not mix. It does not own the IO.
    class Output
      FORMATS = { text: TextFormat, json: JsonFormat }.freeze

      def initialize(io, format: :text) #: (IO, ?format: Symbol) -> void
        @io = io
        @io.sync = true # otherwise Ruby buffers lines, and a fork would write them twice
        @format = FORMATS.fetch(format).new
        @dropped = 0
      end

      # Writes the entry. A log that cannot be written (disk full, terminal gone) is no reason to stop serving: the
      # entry is dropped, and the next one that can be written tells how many were.
      def emit(entry) #: (Entry) -> void
        entry.fields = { **entry.fields, dropped: @dropped } if @dropped.positive?
        @io.write(@format.render(entry))
        @dropped = 0
      rescue SystemCallError, IOError
        @dropped += 1
      end
    end
  end
end
