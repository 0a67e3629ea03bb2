# frozen_string_literal: true

require "coppice/log/terminal_backtrace"
require "coppice/log/text"
require "coppice/terminal"

module Coppice
  class Log
    # Short lines for people who watch a terminal:
    #
    #   14:00:08  worker 3 · gen 2   error: application failed  request GET /products/7
    #
    # Local time, the process, the message, then fields that matter; wrapped at the terminal's width. Neither pids nor
    # what the server's banner says are repeated. No text can reach the terminal as a control sequence.
    class TerminalFormat
      SPEAKER_WIDTH = 17 # "worker 10 · gen 2"
      INDENT = 2 + "14:00:08".size + SPEAKER_WIDTH + 2
      NARROW = 80 # columns: a terminal with fewer has continued lines further to the left
      NARROW_INDENT = 4

      LEVELS = { debug: [nil, :dim], info: [nil, nil], warn: ["warning:", :yellow], error: ["error:", :red],
                 fatal: ["fatal:", :red] }.freeze
      ROLES = { monitor: :cyan, mold: :magenta, worker: :green, service: :blue }.freeze

      # Fields that say which child a line is about: written as one name.
      CHILD = %i[child nr name gen child_pid].freeze
      # The banner has them.
      KNOWN = %i[gc allocator].freeze

      #: (Terminal) -> void
      def initialize(terminal)
        @terminal = terminal
        @dot = terminal.unicode? ? "·" : "-"
      end

      # The whole entry, with its line end.
      def render(entry) #: (Entry) -> String
        head = "#{paint(entry.time.getlocal.strftime('%H:%M:%S'), :dim)}  #{speaker(entry.context)}  "
        report = entry.report
        backtrace = entry.fields[:backtrace]
        lines = [head + wrapped(words(entry)), *(TerminalBacktrace.lines(backtrace) if backtrace)]
        lines.concat(TerminalBacktrace.of(report)) if report
        lines.map { |line| line.is_a?(Array) ? paint("#{' ' * NARROW_INDENT}#{line.first}", line.last) : line }
             .join("\n") << "\n"
      end

      private

      def speaker(context)
        name = name_of(context[:role], context[:nr] || context[:name], context[:gen])
        padding = " " * [SPEAKER_WIDTH - Terminal.width(name), 0].max
        paint(name, ROLES[context[:role]]) + padding
      end

      def name_of(role, nr, generation)
        place = [role, nr].compact.join(" ")
        generation ? "#{place} #{@dot} gen #{generation}" : place
      end

      # Pairs of a word and its style.
      def words(entry)
        label, style = LEVELS.fetch(entry.level)
        style_of_message = entry.level == :debug ? :dim : nil
        words = [label && [label, style], *split(entry.message, style_of_message)].compact
        fields(entry).each_with_index do |(name, value), at|
          words << (at.zero? ? ["", nil] : [@dot, :dim])
          words.concat(split(name.to_s.tr("_", " "), :dim)).concat(split(value, style_of_message))
        end
        words
      end

      # The child first, without a name of the field; its pid only where something went wrong.
      def fields(entry)
        fields = entry.fields.reject { |name, _| KNOWN.include?(name) || name == :backtrace }
        return fields.to_a unless fields[:child]

        pid = fields[:child_pid] if %i[error fatal].include?(entry.level)
        name = name_of(fields[:child], fields[:nr] || fields[:name], fields[:gen])
        [["", pid ? "#{name} #{@dot} pid #{pid}" : name], *fields.except(*CHILD)]
      end

      def split(text, style) = Text.escape(text, Text::CONTROL).split(" ").map { |word| [word, style] }

      # Fills lines up to the terminal's width; those after the first are indented.
      def wrapped(words)
        columns = @terminal.size&.last
        indent = columns && columns < NARROW ? NARROW_INDENT : INDENT
        at = INDENT
        text = words.each_with_index.map do |(word, style), index|
          width = Terminal.width(word) + 1
          breaks = columns && index.positive? && at + width > columns + 1
          at = breaks ? indent + width : at + width
          "#{"\n#{' ' * indent}" if breaks}#{paint(word, style)}"
        end
        text.join(" ").gsub(/ +$/, "")
      end

      def paint(text, style) = @terminal.paint(text, style)
    end
  end
end
