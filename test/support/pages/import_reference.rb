# frozen_string_literal: true

require "coppice/tools/import"

module Coppice
  module Import
    # Writes the tables of directives into docs/migrating.md, between comments. Only `rake docs` runs it.
    class Reference
      #: (String) -> void
      def initialize(page)
        @page = page
      end

      # The page with the present tables.
      #: () -> String
      def to_markdown
        SERVERS.reduce(@page) do |page, server|
          name = server::TITLE.downcase
          page.sub(%r{(?<=^<!-- #{name} -->\n).*(?=^<!-- /#{name} -->$)}m) { table(server) }
        end
      end

      private

      def table(server)
        rows = server::DIRECTIVES.values.uniq.map { |directive| row(directive) }
        ["", "| #{server::TITLE} | becomes | | |", "|---|---|---|---|", *rows, "", ""].join("\n")
      end

      def row(directive)
        names = directive.names.map { |name| "`#{name}`" }.join(", ")
        target = directive.target
        target = target.split(", ").map { |name| "`#{name}`" }.join(", ") if target && !target.include?("`")
        "| #{names} | #{target} | #{Result::TITLES.fetch(directive.outcome)} | #{directive.note} |"
      end
    end
  end
end
