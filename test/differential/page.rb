# frozen_string_literal: true

require_relative "differences"

module Coppice
  # Writes the tables of known differences into docs/http.md. Runs only in `rake docs`.
  module DifferencesPage
    PATH = File.expand_path("../../docs/http.md", __dir__)
    BETWEEN = /(?<=<!-- made by rake docs from test\/differential\/differences.rb -->\n).*(?=<!-- end -->)/m
    TABLES = {
      "Other servers accept, Coppice refuses" => Differences::ONLY_THEY_ACCEPT,
      "Coppice accepts, other servers refuse" => Differences::ONLY_WE_ACCEPT,
      "Both accept, but read differently" => Differences::READ_DIFFERENTLY
    }.freeze
    private_constant :BETWEEN, :TABLES

    def self.to_markdown #: () -> String
      tables = TABLES.map { |title, rows| table(title, rows) }
      File.read(PATH, encoding: "UTF-8").sub(BETWEEN) { "\n#{tables.join("\n")}\n" }
    end

    def self.table(title, rows)
      header = ["| request | servers | reason |", "|---|---|---|"]
      ["### #{title}", "", *header, *rows.map(&:to_row), ""].join("\n")
    end
    private_class_method :table
  end
end
