# frozen_string_literal: true

require "coppice/log/text"

module Coppice
  class Log
    # What the log says about an exception, of whatever class: class, reason, backtrace and causes.
    class ErrorReport
      # The names under which formats write it.
      FIELDS = %i[error reason backtrace cause].freeze

      # A stack overflow has ten thousand lines; the first hundred show the cause.
      BACKTRACE_LINES = 100
      CAUSES = 5

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

      def backtrace #: () -> Array[String]
        lines = @error.backtrace || []
        return lines if lines.size <= BACKTRACE_LINES

        lines.first(BACKTRACE_LINES) << "... and #{lines.size - BACKTRACE_LINES} more"
      end

      def cause #: () -> ErrorReport?
        return unless @error.cause && @causes_left.positive?

        ErrorReport.new(@error.cause, causes_left: @causes_left - 1)
      end
    end
  end
end
