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

    # Hands entries to the `logger` of the user's configuration, anything with the methods of Ruby's Logger. It gets the
    # text without time and level, which it adds itself.
    class Adapter
      # `fallback` takes the entries that the logger fails on.
      def initialize(logger, fallback: Output.new($stderr)) #: (untyped, ?fallback: Output) -> void
        @logger = logger
        @fallback = fallback
        @format = TextFormat.new
      end

      # Passes the entry on. Errors of the user's logger go to the fallback, with the entry: it is their code.
      def emit(entry) #: (Entry) -> void
        @logger.public_send(entry.level, @format.body(entry))
      rescue StandardError, ScriptError => e
        entry.fields = { **entry.fields, logger_error: e.class.name }
        @fallback.emit(entry)
      end
    end
  end
end
