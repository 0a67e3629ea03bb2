# frozen_string_literal: true

require "test_helper"
require "coppice/board/columns"
require_relative "../support/documentation"

module Coppice
  # What docs/log.md explains is what the sources log.
  class LogPageTest < TestCase
    ROOT = File.expand_path("../..", __dir__)
    CAUSES = "## Why a process exited"
    VARIES = "…"
    NOT_EXPLAINED = %w[shutdown other].freeze # asked for, or unknown to this version

    # What stands in backquotes in the first column of the tables.
    def first_column(text) = text.scan(/^\| (`.*?`) \|/).flat_map { |(cell)| cell.scan(/`([^`]+)`/).flatten }

    def parts
      page = File.read(File.join(Documentation::FOLDER, "log.md"), encoding: "UTF-8")
      page.split(CAUSES).map { |part| first_column(part) }
    end

    def sources
      files = Dir.glob(File.join(ROOT, "{lib/**/*.rb,ext/**/*.{c,h}}"))
      files.map { |path| File.read(path, encoding: "UTF-8") }.join("\n")
    end

    # A text in quotes, all of it. The lobby's program may say the level before it, and fields after it.
    def literal(message)
      words = message.split(VARIES, -1).map { |part| Regexp.escape(part) }.join("[^\"\n]*")
      /"(?:log [a-z]+ )?#{words}(?:"|\\n)/
    end

    test "each message of docs/log.md occurs in the sources" do
      messages, = parts
      text = sources

      assert_operator messages.size, :>, 40
      assert_empty messages.grep_v(->(message) { text.match?(literal(message)) })
    end

    test "each cause of an exit has a row" do
      _, causes = parts

      assert_equal (Board::EXIT_CAUSES - NOT_EXPLAINED).sort, causes.sort
    end
  end
end
