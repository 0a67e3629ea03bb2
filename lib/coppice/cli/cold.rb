# frozen_string_literal: true

require "coppice/cold/boot"
require "coppice/cold/reports"
require "coppice/cold/source_paths"
require "coppice/cold/path_analyzer"
require "coppice/config/loader"

module Coppice
  class CLI
    # `coppice cold [PATH …]`: loads the application as a mold does, plays each path twice in a fork of it, and reports
    # what made the first time slower and left memory behind. Takes the flags of `serve` as well.
    class ColdCommand
      DEFAULT_PATHS = ["/"].freeze
      DEFAULT_HOST = "localhost"
      DEFAULT_TOP = 8

      USAGE = <<~TEXT.freeze
        Usage: coppice cold [PATH …] [config.ru] [--top N] [--json] [--host HOST] [flags of serve]

        Loads the application, plays each PATH (default: /) twice with GET in a fork of it, and reports what the first
        time found missing: files, templates, methods, objects left behind, private memory, time.

            --top N       show N rows of each list (default: #{DEFAULT_TOP})
            --json        print one JSON document with whole lists
            --host HOST   ask for this host (default: #{DEFAULT_HOST})

        Measure what you deploy: -E production. What the application prints goes to standard error.
      TEXT

      #: (Array[String], ?output: IO?, ?environment: Hash[String, String], ?directory: String) -> void
      def initialize(words, output: nil, environment: ENV, directory: Dir.pwd)
        @words = words
        @output = output
        @environment = environment
        @directory = directory
        @host = DEFAULT_HOST
        @top = DEFAULT_TOP
      end

      # Answers 1 when a path failed, or the application at boot. Raises ConfigError or UsageError.
      def run #: () -> Integer
        @arguments = parse
        return usage if @arguments.help?

        @output ||= keep_for_report
        findings = rehearse(settings)
        @output.puts Coppice::Cold::JsonReport.new(findings, source_paths: source_paths).text if @json
        findings.any?(&:failure) ? STATUS_ERROR : 0
      rescue BootError => error
        Log.for(settings, role: :cold).exception(error.message, error.cause || error)
        STATUS_ERROR
      end

      private

      def parse
        Config::Arguments.parse(@words, paths: true) do |parser|
          parser.on("--host HOST") { |host| @host = host }
          parser.on("--top N", Integer) { |number| @top = number }
          parser.on("--json") { @json = true }
        end
      end

      def usage
        (@output || $stdout).puts USAGE
        0
      end

      # The application may print what it likes without spoiling the report.
      def keep_for_report
        report = $stdout.dup
        report.sync = true
        $stdout.reopen($stderr)
        report
      end

      def settings
        @settings ||= Config::Loader.new(arguments: @arguments, environment: @environment, directory: @directory).load
      end

      def rehearse(settings)
        boot = Coppice::Cold::Boot.new(settings).call
        @output.puts heading(settings) unless @json
        paths.map do |path|
          findings = Coppice::Cold::PathAnalyzer.new(boot: boot, path: path, host: @host, seconds: settings.timeout).call
          @output.puts "", Coppice::Cold::TextReport.new(findings, source_paths: source_paths, top: @top).lines unless @json
          findings
        end
      end

      def paths = @arguments.paths.empty? ? DEFAULT_PATHS : @arguments.paths

      def source_paths = @source_paths ||= Coppice::Cold::SourcePaths.new(@directory)

      def heading(settings)
        "#{settings.rackup}, RACK_ENV #{settings.environment_name}, Ruby #{RUBY_VERSION}. Each path is played twice in a fresh fork."
      end
    end
  end
end
