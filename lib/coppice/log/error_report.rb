# frozen_string_literal: true

require "coppice/errors"
require "coppice/log/text"

module Coppice
  class Log
    # What the log says about an exception, of whatever class: class, reason, hints, backtrace and causes.
    class ErrorReport
      # The names under which formats write it.
      FIELDS = %i[error reason backtrace cause].freeze

      # A stack overflow has ten thousand lines; the first hundred show the cause.
      BACKTRACE_LINES = 100
      CAUSES = 5
      HINTS = 10 # lines
      HINT_SIZE = 300 # characters

      # Before Ruby 3.2 hints are a part of the message.
      PLAIN = (Exception.instance_method(:detailed_message) if Exception.method_defined?(:detailed_message))
      private_constant :PLAIN

      # The first of so many lines, for people.
      #: (Array[String]) -> Array[String]
      def self.cut(backtrace)
        return backtrace if backtrace.size <= BACKTRACE_LINES

        backtrace.first(BACKTRACE_LINES) << "... and #{backtrace.size - BACKTRACE_LINES} more"
      end

      def initialize(error, causes_left: CAUSES) #: (Exception, ?causes_left: Integer) -> void
        @error = error
        @causes_left = causes_left
      end

      def class_name #: () -> String
        Text.without_singleton(@error.class.name || @error.class.inspect)
      end

      # `message` may be the application's own method: it must not turn a report into a second failure.
      def reason #: () -> String
        Text.without_singleton(@error.message)
      rescue StandardError => e
        "(its message raised #{e.class})"
      end

      # What did_you_mean and error_highlight add to the message, up to a line of generated code. Not what
      # syntax_suggest adds, which may search for a second.
      def hints #: () -> Array[String]
        return [] if PLAIN.nil? || @error.is_a?(SyntaxError)

        full, plain = [@error.detailed_message(highlight: false), PLAIN.bind_call(@error, highlight: false)]
                      .map { |text| Text.valid(text) }
        return [] unless full.start_with?(plain)

        full.delete_prefix(plain).lines(chomp: true)
            .take_while { |line| line.size <= HINT_SIZE }.reject(&:empty?).first(HINTS)
      rescue UserCodeError
        []
      end

      def backtrace #: () -> Array[String]
        ErrorReport.cut(@error.backtrace || [])
      end

      def cause #: () -> ErrorReport?
        return unless @error.cause && @causes_left.positive?

        ErrorReport.new(@error.cause, causes_left: @causes_left - 1)
      end
    end
  end
end
