# frozen_string_literal: true

require "coppice/log/text"

module Coppice
  class Log
    # `key=value` pairs, for people and for grep. A value that is more than a word is quoted, and nothing in it can
    # start a new line or reach the terminal as a control sequence. An exception's backtrace follows on indented lines.
    class TextFormat
      # What needs no quotes.
      PLAIN = %r{\A[\w./:@+,%*~?&;#\[\]()<>!|{}-]+\z}

      # The whole entry, with its line end.
      def render(entry) #: (Entry) -> String
        "#{entry.stamp} level=#{entry.level} #{body(entry)}\n"
      end

      # The entry without time, level and line end: for a logger that adds its own.
      def body(entry) #: (Entry) -> String
        text = pairs(entry.pairs)
        report = entry.report
        report ? "#{text} #{error(report)}" : text
      end

      private

      def pairs(pairs)
        pairs.map { |name, value| "#{name}=#{quote(value)}" }.join(" ")
      end

      def error(report)
        lines = report.backtrace.map { |line| "\n    #{Text.escape(line)}" }
        text = "error=#{quote(report.class_name)} reason=#{quote(report.reason)}#{lines.join}"
        report.cause ? "#{text}\n  cause: #{error(report.cause)}" : text
      end

      def quote(value)
        text = Text.utf8(value)
        text.valid_encoding? && text.match?(PLAIN) ? text : %("#{Text.escape(text)}")
      end
    end
  end
end
