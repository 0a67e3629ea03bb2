# frozen_string_literal: true

require "coppice/config/config_file"
require "coppice/tools/import"

# For tests that translate lines of a configuration; FILE of the test is its name.
module Imports
  TODO = Coppice::Import::Source::TODO
  # Lines that are added for what the other server does without a directive.
  ADDED = /^# (?:1\.5 to 8 workers|Puma's default port|Unicorn's default,|Unicorn has no limit).*\n.*(?:\n\n|\z)/.freeze

  # The lines below the head, without those that are added.
  def translated(text) = result(text).text.lines.drop(1).join.strip.gsub(ADDED, "")
  def result(text) = Coppice::Import.translate(text, file: self.class::FILE)
  def notes(text, name) = result(text).entries.select { |entry| entry.name == name }.map(&:note)
  def note(text, name) = notes(text, name).first

  # The values of a file for Coppice with this text, which the block gets with the file's folder.
  def evaluate(text)
    with_tmpdir do |folder|
      File.write("#{folder}/coppice.rb", text)
      found = Coppice::Config::ConfigFile.read("coppice.rb", directory: folder)
      yield found, folder if block_given?
      found
    end
  end
end
