# frozen_string_literal: true

require "coppice/log/text"

module Coppice
  class Log
    # An exception, or a backtrace, as lines for a terminal: pairs of text and style. Paths below the working directory
    # are relative. Of a long run of frames outside of it, which are gems and Ruby, only the first are shown.
    module TerminalBacktrace
      RUN = 5    # frames: a longer run is cut
      SHOWN = 3  # frames of a run that is cut
      BUNDLED = %r{\A(?:vendor|\.bundle)/}.freeze # gems below the working directory

      # Class, reason, hints and backtrace of the exception and its causes.
      #: (ErrorReport) -> Array[[String, Symbol?]]
      def self.of(report)
        lines = reason(report) + lines(report.backtrace)
        cause = report.cause
        return lines unless cause

        first, *others = of(cause)
        lines + [["caused by #{first.first}", first.last], *others]
      end

      # Frames, as an Array or as text of several lines.
      #: (Array[String] | String) -> Array[[String, Symbol?]]
      def self.lines(backtrace)
        frames = Array(backtrace).flat_map { |text| text.lines(chomp: true) }
        folder = working_directory
        frames = frames.map { |frame| safe(frame).delete_prefix(folder) }
        frames.chunk_while { |one, other| foreign?(one) == foreign?(other) }.flat_map do |run|
          foreign?(run.first) ? cut(run) : run.map { |frame| ["  #{frame}", nil] }
        end
      end

      def self.reason(report)
        first, *others = Text.valid(report.reason).lines(chomp: true)
        [["#{report.class_name}: #{safe(first)}", :red],
         *[*others, *report.hints].map { |line| ["  #{safe(line)}", :red] }]
      end
      private_class_method :reason

      def self.cut(run)
        shown = run.size > RUN ? run.first(SHOWN) : run
        lines = shown.map { |frame| ["  #{frame}", :dim] }
        left = run.size - shown.size
        left.zero? ? lines : lines << ["  ... #{left} more outside of the application", :dim]
      end
      private_class_method :cut

      # Escaped as frames are: in the C locale its encoding is not theirs.
      def self.working_directory
        "#{safe(Dir.pwd)}/"
      rescue SystemCallError # it is deleted, as that of an old release may be
        ""
      end
      private_class_method :working_directory

      def self.foreign?(frame) = frame.start_with?("/", "<internal:") || frame.match?(BUNDLED)
      private_class_method :foreign?

      def self.safe(text) = Text.escape(text, Text::CONTROL)
      private_class_method :safe
    end
  end
end
