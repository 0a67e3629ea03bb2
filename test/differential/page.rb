# frozen_string_literal: true

require_relative "differences"

module Coppice
  # docs/http.md with the tables of known differences as they are now. Runs in `rake docs` only.
  module DifferencesPage
    PATH = File.expand_path("../../docs/http.md", __dir__)
    BETWEEN = /(?<=<!-- made by rake docs from test\/differential\/differences.rb -->\n).*(?=<!-- end -->)/m
    TABLES = {
      "They accept, Coppice refuses" => Differences::ONLY_THEY_ACCEPT,
      "Coppice accepts, they refuse" => Differences::ONLY_WE_ACCEPT,
      "Both accept, and read it differently" => Differences::READ_DIFFERENTLY
    }.freeze
    private_constant :BETWEEN, :TABLES

    def self.to_markdown #: () -> String
      tables = TABLES.map { |title, rows| table(title, rows) }
      File.read(PATH, encoding: "UTF-8").sub(BETWEEN) { "\n#{tables.join("\n")}\n" }
    end

    def self.table(title, rows)
      ["### #{title}", "", "| what | who | who is right | why |", "|---|---|---|---|", *rows.map(&:to_row), ""].join("\n")
    end
    private_class_method :table
  end
end
