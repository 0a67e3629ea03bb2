# frozen_string_literal: true

require "coppice/presets"

module Coppice
  # docs/fork_safety.md with its tables of libraries made from the presets. Only `rake docs` runs it.
  class PresetsPage
    PATH = File.expand_path("../../../docs/fork_safety.md", __dir__)
    LOCK = File.expand_path("../Gemfile.lock", __dir__)
    PLACE = /(?<=<!-- presets -->\n).*(?=<!-- end of presets -->)/m
    WIDTH = 120
    UNTESTED = "†"
    NEVER = "never promotes a worker that " # how the texts begin of presets for libraries that are not safe

    # The presets with these verdicts. columns: attributes of a preset, with their headings. quiet: how the list begins
    # of those for which the user has nothing to do.
    Table = Struct.new(:title, :verdicts, :columns, :quiet)
    TABLES = [
      Table.new("You must act", %i[advice keep_away], { advice: "what you must do", why: "why" }),
      Table.new("Not safe", %i[unsafe], { does: "Coppice #{NEVER.rstrip}", advice: "what you must do" }),
      Table.new("Coppice acts", %i[acts], { does: "what Coppice does", advice: "what you must do" },
        "Coppice acts, and you need to do nothing, for"),
      Table.new("The library handles forks", %i[handled], { advice: "what you must do" }, "Nothing is to be done for")
    ].freeze
    private_constant :PLACE, :WIDTH, :UNTESTED, :NEVER, :Table, :TABLES

    # The version of each gem that the presets are tested with.
    def self.tested_versions = File.read(LOCK).scan(/^    (\S+) \((\d[\d.]*)[^)]*\)$/).to_h

    # "1.7+ <2" for each range of versions, or nil for all.
    def self.versions(preset)
      return unless preset.versions

      preset.series.map { |range| "#{range.begin}+#{" <#{range.end}" if range.end}" }.join(", ")
    end

    def to_markdown
      text = File.read(PATH, encoding: "UTF-8")
      raise KeyError, "no place for the tables in #{PATH}" unless text.match?(PLACE)

      text.sub(PLACE) { "\n#{TABLES.map { |table| section(table) }.join}" }
    end

    private

    def section(table)
      presets = Presets.all.select { |preset| table.verdicts.include?(preset.verdict) }
      quiet, others = presets.partition { |preset| preset.advice == ForkSafety::NOTHING }
      head = "| library | #{table.columns.values.join(' | ')} |\n|#{'---|' * (table.columns.size + 1)}\n"
      rows = others.map { |preset| row(preset, table.columns.keys) }
      list = "#{wrap("#{table.quiet} #{quiet.map { |preset| title(preset) }.join('; ')}.")}\n" if quiet.any?
      "### #{table.title}\n\n#{head}#{rows.join}\n#{list}"
    end

    def wrap(text) = text.gsub(/(.{1,#{WIDTH}})(?: |$)/, "\\1\n")

    def row(preset, columns)
      cells = [title(preset), *columns.map { |column| cell(preset, column) }]
      "| #{cells.join(' | ')} |\n"
    end

    # Names of pages become links.
    def cell(preset, column)
      avoid = "avoid it; otherwise " if column == :advice && preset.verdict == :keep_away
      text = preset[column].delete_prefix(NEVER).gsub("|", "\\|").gsub(%r{docs/(\w+\.md)}, '[\1](\1)')
      "#{avoid}#{text}"
    end

    def title(preset)
      ["#{preset.gem}#{UNTESTED unless preset.tested}", *self.class.versions(preset)].join(" ")
    end
  end
end
