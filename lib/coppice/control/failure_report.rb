# frozen_string_literal: true

require "coppice/control/messages"
require "coppice/log/error_report"
require "coppice/log/terminal_backtrace"
require "coppice/log/text"

module Coppice
  module Control
    # Makes the message by which a child reports the exception for which it exits: a short line for the class and the
    # place, one for the reason, both harmless for a terminal.
    module FailureReport
      LONGEST = 80 # characters of a class's name, and of a frame
      LONGEST_REASON = 200

      # A Messages::Failed. May raise what methods of the exception raise.
      #: (Exception) -> untyped
      def self.of(error)
        report = Log::ErrorReport.new(error)
        Messages::Failed.new(error: class_and_place(report), message: first_reason(report))
      end

      # With the first frame of the application if there is one.
      def self.class_and_place(report)
        frames = report.backtrace.grep_v(/\A\.\.\. /) # without the mark of a cut
        frame, = Log::TerminalBacktrace.lines(frames).find { |_, style| style.nil? }
        short(report.class_name) + (frame ? " (#{short(frame.strip)})" : "")
      end

      # The first line of the reason that is not blank; "" if none is.
      def self.first_reason(report)
        line = Log::Text.valid(report.reason).lines(chomp: true).find { |one| one.match?(/\S/) }
        short(line.to_s, LONGEST_REASON)
      end

      def self.short(text, longest = LONGEST)
        text = Log::Text.escape(text, Log::Text::CONTROL)
        text.size > longest ? "#{text[0, longest]}..." : text
      end

      private_class_method :class_and_place, :first_reason, :short
    end
  end
end
