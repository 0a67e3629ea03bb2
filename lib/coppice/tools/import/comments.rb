# frozen_string_literal: true

require "coppice/tools/import/source"
require "coppice/tools/import/text_lines"

module Coppice
  module Import
    # The comments of a file that speak of directives which are no longer there.
    class Comments
      #: (String, Module) -> void
      def initialize(text, server)
        @text = text
        @server = server
      end

      # The text without the comments that stand alone and have a directive of the server in them, as in `# workers 2`.
      def without_commented_directives #: () -> String
        within_texts = TextLines.of(@text)
        kept = paragraphs.reject do |numbered|
          lines, numbers = numbered.transpose
          within_texts.disjoint?(numbers.to_set) && comment?(lines) && lines.any? { |line| directive?(line) }
        end
        kept.flatten(1).map(&:first).join
      end

      private

      # Of lines with their numbers. Each has the blank lines after it.
      def paragraphs
        @text.lines.each.with_index(1).slice_when do |(line, _), (following, _)|
          line.strip.empty? && !following.strip.empty?
        end
      end

      def comment?(lines)
        lines.all? { |line| line.strip.empty? || (line.lstrip.start_with?("#") && !line.match?(Source::MAGIC)) }
      end

      def directive?(line)
        code = line.sub(/\A\s*#+\s?/, "").strip
        name = code[/\A[a-z]\w*[!?]?/] or return false
        return false unless @server::DIRECTIVES.key?(name.to_sym)

        code += "\nend" if code.match?(/\bdo(?:\s*\|[^|]*\|)?\z/)
        call?(code, name)
      end

      # English may be Ruby as well: "workers are started" calls three methods.
      def call?(code, name)
        node = Source.new(code).root.nodes.last
        return false unless node && %i[FCALL VCALL ITER].include?(node.type)

        node.type == :VCALL ? name.end_with?("!") : node.walk.none? { |one| one.type == :VCALL }
      rescue SyntaxError
        false
      end
    end
  end
end
