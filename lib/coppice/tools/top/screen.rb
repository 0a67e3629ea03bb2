# frozen_string_literal: true

require "io/console"
require "coppice/terminal"

module Coppice
  module Top
    # The terminal while the view is on it: raw mode and the alternate screen. `leave` gives it back as it was.
    class Screen
      ENTER = "\e[?1049h\e[?25l\e[?7l\e[2J" # alternate screen, no cursor, no automatic wrap, empty
      LEAVE = "\e[?7h\e[?25h\e[?1049l"
      SIZE = [24, 80].freeze # of a terminal that does not tell

      # The modes are those of the input; both are the same terminal.
      #: (IO, IO) -> void
      def initialize(input, output)
        @input = input
        @output = output
        @terminal = Terminal.new(output)
        @shown = []
      end

      # Yields on the alternate screen. The terminal is given back however the block ends.
      #: [T] () { () -> T } -> T
      def open
        enter
        yield
      ensure
        leave
      end

      # Also after the process was stopped and continued.
      #: () -> void
      def enter
        @mode ||= @input.console_mode # already raw, after a stop by somebody else
        @input.raw!
        @output.write(ENTER)
        @output.flush
        redraw
      end

      # Idempotent. The terminal may be gone.
      #: () -> void
      def leave
        mode, @mode = @mode, nil
        return unless mode

        begin
          @output.write(LEAVE)
          @output.flush
        ensure
          @input.console_mode = mode
        end
      rescue SystemCallError, IOError
        nil # it has no screen to give back
      end

      # Rows and columns.
      #: () -> [Integer, Integer]
      def size = @terminal.size || SIZE

      # Writes all lines the next time, and not only those that have changed.
      #: () -> void
      def redraw
        @shown = []
      end

      # One line of the view for each row of the terminal.
      #: (Array[Line], Integer) -> void
      def draw(lines, columns)
        painted = lines.map { |line| line.paint(columns, colour: @terminal.colour?, unicode: @terminal.unicode?) }
        changed = painted.each_with_index.reject { |text, at| @shown[at] == text }
        # Emptied before it is written: at the last column, the terminal would erase the last character.
        text = changed.map { |line, at| "\e[#{at + 1};1H\e[K#{line}" }.join
        text = "\e[2J#{text}" if @shown.empty?
        @output.write(text)
        @output.flush
        @shown = painted
      end
    end
  end
end
