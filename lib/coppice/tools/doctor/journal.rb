# frozen_string_literal: true

require "fcntl"
require "json"
require "tempfile"
require "coppice/log/text"

module Coppice
  module Doctor
    # What the processes of a chain have seen: a file without a name, to which each of them appends one line for each
    # event. Forked processes inherit it. A write to it never waits for the reader.
    class Journal
      def initialize
        @file = Tempfile.create("coppice-doctor")
        File.unlink(@file.path)
        @file.fcntl(Fcntl::F_SETFL, File::APPEND)
        @file.sync = true
      end

      #: (Symbol, **untyped) -> void
      def note(event, **fields)
        @file.write("#{JSON.generate({ event: event, **fields }.transform_values { |value| printable(value) })}\n")
      end

      # The events of these kinds, the oldest first, each once.
      #: (Symbol) -> Array[Hash[Symbol, untyped]]
      def events(name)
        lines = @file.pread(@file.size, 0).lines
        lines.map { |line| JSON.parse(line, symbolize_names: true) }.select { |found| found[:event] == name.to_s }.uniq
      rescue EOFError
        [] # nothing was noted
      end

      #: () -> void
      def close = @file.close

      private

      # Texts of applications may have any encoding.
      def printable(value) = value.is_a?(String) ? Log::Text.valid(value) : value
    end
  end
end
