# frozen_string_literal: true

require "coppice/cli/paragraph"

module Coppice
  class CLI
    # What `coppice COMMAND --help` and `coppice help COMMAND` show: how to call a command, what it does, its flags.
    class CommandHelp
      #: (Command) -> void
      def initialize(command)
        @command = command
      end

      #: () -> String
      def text
        [usage, Paragraph.of(sentence(@command.summary || "internal")), about, flags, serve_flags].compact.join("\n\n")
      end

      private

      def usage = @command.usage.each_with_index.map { |line, i| "#{i.zero? ? 'Usage:' : '      '} #{line}" }.join("\n")

      def sentence(text) = "#{text[0].upcase}#{text[1..]}."

      def about
        Paragraph.of(@command.about) unless @command.about.to_s.empty?
      end

      # Long names stand below each other.
      def flags
        rows = @command.flags.to_h.map { |flag, doc| [flag.start_with?("--") ? "    #{flag}" : flag, doc] }
        width = rows.map { |flag, _| flag.size }.max
        rows.map { |flag, doc| "  #{flag.ljust(width)}  #{doc}" }.join("\n") unless rows.empty?
      end

      def serve_flags
        "Takes the flags of serve as well: coppice help lists them." if @command.takes_serve_flags
      end
    end
  end
end
