# frozen_string_literal: true

require "coppice/log/journal_format"
require "coppice/log/text_format"
require "coppice/terminal"

module Coppice
  class Log
    # Writes entries to an IO when the user has no logger of their own: one write(2) for each, so that the lines of
    # several processes do not mix. It does not own the IO.
    class Output
      FORMATS = %i[auto terminal text json].freeze
      PATIENCE = 1 # seconds in which the reader of a full pipe may go on

      # Whether this IO gets the lines that are made for people.
      #: (IO, format: Symbol) -> bool
      def self.for_people?(io, format:) = format == :terminal || (format == :auto && Terminal.new(io).for_people?)

      # The format :auto is :terminal on a terminal, or where the environment forces colours; otherwise :text.
      #: (IO, ?format: Symbol, ?patience: Numeric) -> void
      def initialize(io, format: :text, patience: PATIENCE)
        @io = io
        @patience = patience
        @io.sync = true # otherwise Ruby buffers lines, and a fork would write them twice
        @format = format_named(format)
        @dropped = 0
      end

      # Writes the entry. A log that cannot be written (disk full, terminal gone, nobody reads a full pipe), or an entry
      # that cannot be formatted, is no reason to stop serving: the entry is dropped, and the next one that can be
      # written tells how many were.
      def emit(entry) #: (Entry) -> void
        return @dropped += 1 unless writable?

        entry.fields = { **entry.fields, dropped: @dropped } if @dropped.positive?
        @io.write(@format.render(entry))
        @dropped = 0
      rescue StandardError # of the IO, or of a field's own to_s
        @dropped += 1
      end

      private

      # Waits for the first entry that is dropped, and for none that follows it. A pipe that is ready has room for
      # 4 KiB. The descriptor may be one that other processes write to as well, so it is not made non-blocking.
      def writable?
        !@io.is_a?(IO) || IO.select(nil, [@io], nil, @dropped.zero? ? @patience : 0)
      end

      # Loads only what is used: the monitor and all workers keep it in memory.
      def format_named(name)
        raise KeyError, "no log format #{name.inspect}" unless FORMATS.include?(name)

        if Output.for_people?(@io, format: name)
          require "coppice/log/terminal_format"
          return TerminalFormat.new(Terminal.new(@io))
        end

        format = for_programs(name)
        JournalFormat.for?(@io) ? JournalFormat.new(format) : format
      end

      def for_programs(name)
        return TextFormat.new unless name == :json

        require "coppice/log/json_format"
        JsonFormat.new
      end
    end
  end
end
