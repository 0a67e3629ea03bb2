# frozen_string_literal: true

require "coppice/errors"
require "coppice/log/text"

module Coppice
  module Config
    # Makes a ConfigError of Ruby's message about a text that is not Ruby: with its line, and the excerpt that shows
    # where. The excerpt may tell a secret of the lines around.
    module SyntaxProblem
      LINES = 12 # of the message, at most: in a file that is no program everything is wrong
      WIDTH = 200 # of each of them
      COLOUR = /\e\[[\d;]*m/.freeze # where standard error is a terminal, Ruby colours the excerpt
      private_constant :LINES, :WIDTH, :COLOUR

      # Whether an error has Ruby's message about the text at a path, though it is no SyntaxError: from 3.4 on an
      # ArgumentError about a magic comment with an unknown encoding has one.
      #: (Exception, String) -> bool
      def self.about?(error, path) = !of_text(Log::Text.valid(error.message), Log::Text.valid(path)).nil?

      # file: its name in messages. path: that in Ruby's message. line: where the file loads another one, if the message
      # is about that.
      #: (SyntaxError, file: String, ?path: String, ?line: Integer?) -> ConfigError
      def self.error(error, file:, path: file, line: nil)
        message = Log::Text.valid(error.message).gsub(COLOUR, "")
        file, path = [file, path].map { |name| Log::Text.valid(name) }
        own = of_text(message, path)
        text = own ? own.post_match.gsub("#{path}:", "#{file}:") : message
        ConfigError.new(shortened(text), reason: "syntax error", file: file, line: own ? Integer(own[1]) : line)
      end

      def self.of_text(message, path) = message.match(/\A#{Regexp.escape(path)}:(\d+): /)
      private_class_method :of_text

      def self.shortened(text)
        lines = text.strip.lines.map { |line| Log::Text.printable(line.chomp.tr("\t", " "))[0, WIDTH] }
        lines.size > LINES ? [*lines.first(LINES), "…"].join("\n") : lines.join("\n")
      end
      private_class_method :shortened
    end
  end
end
