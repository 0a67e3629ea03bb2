# frozen_string_literal: true

module Coppice
  class Log
    # Another format with its priority before each line, for the journal of systemd, which takes it off again. So
    # `journalctl -p warning` finds what is wrong. Source: sd-daemon(3).
    class JournalFormat
      PRIORITIES = { debug: 7, info: 6, warn: 4, error: 3, fatal: 2 }.freeze

      # Whether this IO leads to the journal: systemd says by device and inode which one does.
      #: (IO) -> bool
      def self.for?(io)
        stream = ENV["JOURNAL_STREAM"]
        return false unless stream && io.respond_to?(:stat)

        stat = io.stat
        stream == "#{stat.dev}:#{stat.ino}"
      rescue SystemCallError, IOError # closed, or no file
        false
      end

      # The text with the priority of this level before each line.
      #: (String, Symbol) -> String
      def self.with_priority(text, level) = text.gsub(/^/, "<#{PRIORITIES.fetch(level)}>")

      #: (TextFormat | JsonFormat) -> void
      def initialize(format)
        @format = format
      end

      # The whole entry, with its line end.
      #: (Entry) -> String
      def render(entry) = JournalFormat.with_priority(@format.render(entry), entry.level)
    end
  end
end
