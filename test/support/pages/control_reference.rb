# frozen_string_literal: true

require "coppice/control/verbs"

module Coppice
  module Control
    # Writes the table of verbs into docs/operations.md, between two comments. Only `rake docs` runs it.
    class Reference
      PLACE = /(?<=^<!-- verbs -->\n).*(?=^<!-- \/verbs -->$)/m.freeze

      #: (String) -> void
      def initialize(page)
        @page = page
      end

      # The page with the present table.
      #: () -> String
      def to_markdown = @page.sub(PLACE) { table }

      private

      def table
        rows = VERBS.each_value.map do |verb|
          signal = verb.signal.to_s.gsub(/\b[A-Z0-9]+\b/) { |word| "`#{word}`" }.gsub("--now", "`--now`")
          "| `coppice #{verb.usage}` | #{verb.summary} | #{signal} |"
        end
        ["", "| command | what it does | signal |", "|---|---|---|", *rows, "", ""].join("\n")
      end
    end
  end
end
