# frozen_string_literal: true

require "test_helper"
require_relative "support/source_files"

module Coppice
  # Holds the shape of the docs: their length, their links, and how sentences begin.
  class DocsTest < TestCase
    WORDS = 40_000 # of docs/*.md
    README_LINES = 75
    # Subject first.
    BEGINNINGS = /(?:That of|Those (?:that|who|of)|The one (?:that|who)|Of several|Whoever|As of) \w+/
    STUMBLES = /(?:^|[.:|] )(?:\*\*)?(#{BEGINNINGS})/
    LINK = /\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/

    test "the docs stay as long as one reads" do
      assert_operator pages("docs/*.md").values.sum { |text| text.split.size }, :<=, WORDS
      assert_operator File.readlines("README.md").size, :<=, README_LINES
    end

    test "sentences begin with their subject" do
      stumbles = pages.flat_map { |path, text| text.scan(STUMBLES).map { |(words)| "#{path}: #{words}" } }

      assert_empty stumbles
    end

    test "each link leads to a file and a heading" do
      broken = pages.flat_map do |path, text|
        text.scan(LINK).filter_map { |file, heading| "#{path}: #{file}##{heading}" unless leads?(path, file, heading) }
      end

      assert_empty broken
    end

    private

    def pages(pattern = "{*,docs/*,docs/decisions/*,bench/*,bench/results/*}.md")
      SourceFiles.matching(pattern).transform_values { |text| text.gsub(/^```.*?^```/m, "") }
    end

    def leads?(path, file, heading)
      target = file.empty? ? path : File.expand_path(file, File.dirname(path))
      return false unless File.exist?(target)

      heading.nil? || headings(target).include?(heading)
    end

    # As GitHub names them.
    def headings(path)
      @headings ||= {}
      @headings[path] ||= File.read(path, encoding: "UTF-8").scan(/^#+ (.+)$/).map do |(text)|
        text.downcase.gsub(/[^\p{Alnum}\s_-]/, "").tr(" ", "-")
      end
    end
  end
end
