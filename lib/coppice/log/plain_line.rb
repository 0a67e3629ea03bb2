# frozen_string_literal: true

require_relative "journal_format"

module Coppice
  class Log
    # A line for people, outside of the log: of a command, or of a process that has no log yet.
    module PlainLine
      # The text, with the priority of its level where this IO leads to systemd's journal.
      #: (String, ?level: Symbol, ?io: IO) -> String
      def self.of(text, level: :error, io: $stderr)
        line = "coppice: #{text}"
        JournalFormat.for?(io) ? JournalFormat.with_priority(line, level) : line
      end
    end
  end
end
