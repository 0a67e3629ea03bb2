# frozen_string_literal: true

require "fileutils"
require "coppice/config/flag_parser"
require "coppice/errors"
require "coppice/tools/import"

module Coppice
  class CLI
    # `coppice import [FILE]`: writes a configuration for Coppice, translated from one for Puma or Unicorn, and prints
    # what became of each directive.
    class ImportCommand
      OUTPUT = "config/coppice.rb"
      USAGE = "usage: coppice import FILE [--output FILE | -] [--force]"

      #: (Array[String], ?output: IO, ?error: IO) -> void
      def initialize(arguments, output: $stdout, error: $stderr)
        @arguments = arguments
        @output = output
        @error = error
        @target = OUTPUT # relative to the current directory, as for `serve`
      end

      # Returns 0. Raises UsageError or Error.
      def run #: () -> Integer
        file = parse
        refuse_to_overwrite unless @force || @target == "-"
        result = Import.translate(Import.read(file), file: file)
        @target == "-" ? print(result) : write(result, file)
        0
      end

      private

      def parse
        parser = Config::FlagParser.new do |flags|
          flags.on("--output FILE", "-o") { |path| @target = path }
          flags.on("--force") { @force = true }
        end
        files = parser.words(@arguments)
        raise UsageError, USAGE if files.size > 1

        files.first || only_one
      end

      def only_one
        found = Import.found(Dir.pwd)
        return found.first if found.size == 1

        raise UsageError, "#{found.empty? ? "there is no #{Import.names.join(' and no ')}" : found.join(' and ')}: " \
                          "name the file. #{USAGE}"
      end

      def refuse_to_overwrite
        raise Error, "#{@target} exists. Give --force to replace it, or -o FILE" if File.exist?(@target)
      end

      def write(result, file)
        FileUtils.mkdir_p(File.dirname(@target))
        File.write(@target, result.text)
        @output.puts "#{@target} is written from #{file} (#{result.server::TITLE})", "", result.report, "", advice
      rescue SystemCallError => error
        raise Error, "#{@target} cannot be written: #{Coppice.system_error_text(error)}"
      end

      # The report goes where it does not mix with the file.
      def print(result)
        @output.puts result.text
        @error.puts result.report
      end

      def advice = "Then: coppice check -c #{@target}, coppice doctor, and docs/migrating.md"
    end
  end
end
