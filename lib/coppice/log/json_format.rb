# frozen_string_literal: true

require "coppice/log/text"

module Coppice
  class Log
    # One JSON object in a line. Without the json library: it is a gem, and the version that is loaded before the
    # application's bundle is set up may be the wrong one for the application. It escapes more than JSON requires, since
    # people read logs in terminals.
    class JsonFormat
      # The whole entry, with its line end.
      def render(entry) #: (Entry) -> String
        values = { time: entry.stamp, level: entry.level, **entry.pairs }
        values.merge!(error(entry.report)) if entry.report
        "#{object(values)}\n"
      end

      private

      def error(report)
        fields = { error: report.class_name, reason: report.reason, backtrace: report.backtrace }
        fields[:cause] = error(report.cause) if report.cause
        fields
      end

      def value(value)
        case value
        when nil then "null"
        when true, false, Integer then value.to_s
        when Float then value.finite? ? value.to_s : string(value)
        when Array then "[#{value.map { |item| value(item) }.join(',')}]"
        when Hash then object(value)
        else string(value)
        end
      end

      def object(hash)
        "{#{hash.map { |key, value| "#{string(key)}:#{value(value)}" }.join(',')}}"
      end

      def string(value)
        text = Text.valid(value)
        escaped = text.gsub(Text::UNSAFE) { |character| Text::ESCAPES[character] || format('\u%04x', character.ord) }
        %("#{escaped}")
      end
    end
  end
end
