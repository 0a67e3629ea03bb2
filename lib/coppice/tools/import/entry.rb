# frozen_string_literal: true

module Coppice
  module Import
    # One line of the report: what became of a directive. Without a line it is about no directive of the file.
    Entry = Struct.new(:line, :name, :outcome, :target, :note, keyword_init: true)
  end
end
