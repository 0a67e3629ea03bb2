# frozen_string_literal: true

require "coppice/log/text"
require "coppice/terminal"

module Coppice
  module Top
    # One line of the screen: pieces of text, each with a style. Nothing that comes from a client, such as a path, can
    # reach the terminal as a control sequence.
    class Line
      PLAIN_STYLES = %i[bold dim reverse].freeze # where colours are not wanted
      MORE = "…"

      # Each piece is a String, or a String and a style: one of Terminal::STYLES.
      #: (*(String | [String, Symbol?]), ?selected: bool) -> void
      def initialize(*pieces, selected: false)
        @pieces = pieces.map do |text, style|
          [Log::Text.escape(text, Log::Text::CONTROL), style]
        end
        @selected = selected
      end

      # Its text without styles, and without the blanks at its end.
      def to_s = @pieces.map(&:first).join.rstrip #: () -> String

      # The text for a terminal with so many columns, cut where it is longer.
      #: (Integer, colour: bool, ?unicode: bool) -> String
      def paint(columns, colour:, unicode: true)
        left = columns
        painted = @pieces.map do |text, style|
          text = Line.cut(text, left, unicode: unicode)
          left -= Terminal.width(text)
          style(text, @selected ? :reverse : style, colour)
        end
        @selected ? painted.join + style(" " * left, :reverse, colour) : painted.join
      end

      # The text, cut to so many columns.
      #: (String, Integer, ?unicode: bool) -> String
      def self.cut(text, columns, unicode: true)
        return text if Terminal.width(text) <= columns
        return "" if columns <= 0

        text = text[0, columns - 1]
        text = text[0..-2] while Terminal.width(text) > columns - 1
        text + (unicode ? MORE : "~")
      end

      private

      def style(text, style, colour)
        return text if style.nil? || text.empty? || !(colour || PLAIN_STYLES.include?(style))

        "\e[#{Terminal::STYLES.fetch(style)}m#{text}\e[0m"
      end
    end
  end
end
