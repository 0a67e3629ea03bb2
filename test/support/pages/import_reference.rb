# frozen_string_literal: true

require "coppice/tools/import"

module Coppice
  module Import
    # Writes the tables of directives into docs/migrating.md, between comments. Only `rake docs` runs it.
    class Reference
      HEADS = { false => "becomes", true => "dropped" }.freeze
      LINE = /\S.{0,118}(?=\s|\z)/.freeze
      private_constant :HEADS, :LINE

      #: (String) -> void
      def initialize(page)
        @page = page
      end

      # The page with the present tables.
      #: () -> String
      def to_markdown
        SERVERS.reduce(@page) do |page, server|
          name = server::TITLE.downcase
          page.sub(%r{(?<=^<!-- #{name} -->\n).*(?=^<!-- /#{name} -->$)}m) { tables(server) }
        end
      end

      private

      # Directives that become something, those that are dropped, and a sentence with those that nobody has to replace.
      def tables(server)
        settled, others = server::DIRECTIVES.values.uniq.partition(&:settled)
        parts = others.group_by { |directive| directive.outcome == :dropped }
        tables = HEADS.map { |dropped, head| table(server, head, parts.fetch(dropped)) }
        ["", *tables, *sentence(settled), ""].join("\n")
      end

      def sentence(settled)
        return if settled.empty?

        text = "Dropped, with nothing to do: #{code(settled.flat_map(&:names))}."
        "#{text.scan(LINE).join("\n")}\n"
      end

      # Directives with the same result share a row.
      def table(server, head, directives)
        rows = directives.group_by { |directive| result(directive) }.map do |result, equal|
          "| #{code(equal.flat_map(&:names))} | #{result} |"
        end
        ["| #{server::TITLE} | #{head} |", "|---|---|", *rows, ""].join("\n")
      end

      def result(directive)
        target = target_of(directive)
        [target, directive.note].compact.join(": ").gsub(%r{docs/(\w+\.md)}) { "[#{$1}](#{$1})" }
      end

      def target_of(directive)
        return unless directive.target

        directive.names == [directive.target.to_sym] ? "unchanged" : code(directive.target.split(", "))
      end

      def code(names) = names.map { |name| "`#{name}`" }.join(", ")
    end
  end
end
