# frozen_string_literal: true

require "coppice/log/error_report"

module Coppice
  class Log
    # One entry as plain values, before a format makes text of it.
    Entry = Struct.new(:time, :level, :context, :message, :fields, :error, keyword_init: true) do
      # Name to value of everything but time, level and error, in the order they are written.
      # A field that has the name of something we write ourselves gets a prefix, so that neither hides the other.
      def pairs #: () -> Hash[Symbol, untyped]
        own = { **context, msg: message.to_s }
        taken = [:time, :level, *own.keys, *(ErrorReport::FIELDS if error)]
        own.merge(fields.transform_keys { |name| taken.include?(name) ? :"field_#{name}" : name })
      end

      def stamp #: () -> String
        time.strftime("%Y-%m-%dT%H:%M:%S.%LZ")
      end

      def report #: () -> ErrorReport?
        error && ErrorReport.new(error)
      end
    end
  end
end
