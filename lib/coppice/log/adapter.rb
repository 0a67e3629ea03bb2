# frozen_string_literal: true

require "coppice/log/output"
require "coppice/log/text_format"

module Coppice
  class Log
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
