# frozen_string_literal: true

module Coppice
  module Import
    # A translated file: its text, and what became of each directive.
    class Result
      TITLES = { taken: "taken over", changed: "changed", dropped: "dropped",
                 by_hand: "to be changed by hand, marked with TODO" }.freeze
      WIDTH = 30 # of the column of names, at most
      private_constant :WIDTH

      attr_reader :server  #: Module
      attr_reader :text    #: String
      attr_reader :entries #: Array[Entry]

      #: (server: Module, text: String, entries: Array[Entry]) -> void
      def initialize(server:, text:, entries:)
        @server = server
        @text = text
        @entries = entries
        freeze
      end

      # What became of each directive, in lines for people.
      def report #: () -> Array[String]
        TITLES.keys.flat_map { |outcome| section(outcome) }
      end

      private

      def section(outcome)
        rows = entries.select { |entry| entry.outcome == outcome }
        return [] if rows.empty?

        width = [rows.map { |entry| entry.name.to_s.size }.max, WIDTH].min
        [TITLES.fetch(outcome), *rows.map { |entry| line_of(entry, width) }]
      end

      def line_of(entry, width)
        place = (entry.line ? "line #{entry.line}" : "").ljust(9)
        target = entry.target if entry.target != entry.name.to_s
        "  #{place} #{entry.name.to_s.ljust(width)}  #{[target, entry.note].compact.join(": ")}".rstrip
      end
    end
  end
end
