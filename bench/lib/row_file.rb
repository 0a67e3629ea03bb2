# frozen_string_literal: true

require "fileutils"
require "json"

module Bench
  # Rows of results, one line of JSON each, in a file that a benchmark appends to. So a benchmark that was interrupted
  # goes on where it stopped.
  class RowFile
    attr_reader :path #: String

    #: (String) -> void
    def initialize(path)
      @path = path
    end

    # The rows with these values, in the order of the file. A line that was cut off by a kill is no row.
    #: (Hash[String, untyped]) -> Array[Hash[String, untyped]]
    def matching(values) = rows.select { |row| values <= row }

    #: (Hash[String, untyped]) -> void
    def append(row)
      FileUtils.mkdir_p(File.dirname(@path))
      File.open(@path, "a+") do |file|
        file.write("\n") unless whole?(file)
        file.write("#{JSON.generate(row)}\n")
      end
    end

    private

    def rows
      lines = File.exist?(@path) ? File.readlines(@path) : []
      lines.filter_map { |line| parse(line) }
    end

    def parse(line)
      JSON.parse(line)
    rescue JSON::ParserError
      nil
    end

    def whole?(file)
      return true if file.size.zero?

      file.seek(-1, IO::SEEK_END)
      file.read(1) == "\n"
    end
  end
end
