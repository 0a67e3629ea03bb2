# frozen_string_literal: true

require "coppice/log/error_report"
require "coppice/log/text"

module Coppice
  class Log
    # `key=value` pairs, for people and for grep. A value that is more than a word is quoted, and nothing in it can
    # start a new line or reach the terminal as a control sequence. A backtrace follows on indented lines, that of an
    # exception or the field of this name.
    class TextFormat
      # What needs no quotes.
      PLAIN = %r{\A[\w./:@+,%*~?&;#\[\]()<>!|{}-]+\z}

      # The whole entry, with its line end.
      def render(entry) #: (Entry) -> String
        "#{entry.stamp} level=#{entry.level} #{body(entry)}\n"
      end

      # The entry without time, level and line end: for a logger that adds its own.
      def body(entry) #: (Entry) -> String
        pairs = entry.pairs
        backtrace = pairs.delete(:backtrace)
        frames = Array(backtrace).flat_map { |text| Text.utf8(text).lines(chomp: true) }
        text = "#{pairs(pairs)}#{lines(ErrorReport.cut(frames))}"
        report = entry.report
        report ? "#{text} #{error(report)}" : text
      end

      private

      def pairs(pairs)
        pairs.map { |name, value| "#{name}=#{quote(value)}" }.join(" ")
      end

      def error(report)
        text = "error=#{quote(report.class_name)} reason=#{quote(report.reason)}#{lines(report.backtrace)}"
        report.cause ? "#{text}\n  cause: #{error(report.cause)}" : text
      end

      def lines(backtrace) = backtrace.map { |line| "\n    #{Text.escape(line)}" }.join

      def quote(value)
        text = Text.utf8(value)
        text.valid_encoding? && text.match?(PLAIN) ? text : %("#{Text.escape(text)}")
      end
    end
  end
end
