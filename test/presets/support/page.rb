# frozen_string_literal: true

require "coppice/presets"

module Coppice
  # docs/fork_safety.md with its table of libraries made from the presets. Only `rake docs` runs it.
  class PresetsPage
    PATH = File.expand_path("../../../docs/fork_safety.md", __dir__)
    LOCK = File.expand_path("../Gemfile.lock", __dir__)
    TABLE = /(?<=<!-- presets -->\n).*(?=<!-- end of presets -->)/m
    HEAD = "| library | versions | verdict | what Coppice does | what you must do | why |\n|---|---|---|---|---|---|\n"

    # The version of each gem that the presets are tested with.
    def self.tested_versions = File.read(LOCK).scan(/^    (\S+) \((\d[\d.]*)[^)]*\)$/).to_h

    def to_markdown
      text = File.read(PATH, encoding: "UTF-8")
      raise KeyError, "no place for the table in #{PATH}" unless text.match?(TABLE)

      text.sub(TABLE) { HEAD + Presets.all.map { |preset| row(preset) }.join }
    end

    private

    def row(preset)
      cells = [preset.gem, versions(preset), ForkSafety::VERDICTS.fetch(preset.verdict), preset.does || "nothing",
               advice(preset), "#{preset.why} (#{preset.source})"]
      "| #{cells.map { |cell| cell.gsub("|", "\\|") }.join(" | ")} |\n"
    end

    def versions(preset)
      tested = preset.tested ? "tested with #{self.class.tested_versions.fetch(preset.gem)}" : "not tested"
      [preset.versions_text, tested].compact.join("; ")
    end

    def advice(preset)
      others = preset.series.one? ? "Before" : "Others before"
      older = "#{others} #{preset.series.last.begin}: #{preset.older}" if preset.older
      [preset.advice, older, preset.always].compact.join(". ")
    end
  end
end
