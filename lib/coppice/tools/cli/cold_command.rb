# frozen_string_literal: true

require "coppice/tools/cli/report_output"
require "coppice/tools/cli/request_headers"
require "coppice/cli/server_settings"
require "coppice/os/processors"
require "coppice/standalone"
require "coppice/tools/cold/json_report"
require "coppice/tools/cold/login"
require "coppice/tools/cold/source_paths"
require "coppice/tools/cold/path_analyzer"
require "coppice/tools/cold/text_report"

module Coppice
  class CLI
    # `coppice cold [PATH …]`: loads the application as a mold does, plays each path twice in a fork of it, and reports
    # what the first play had to load, define and allocate. Takes the flags of `serve` as well.
    class ColdCommand
      DEFAULT_PATHS = ["/"].freeze
      DEFAULT_HOST = "localhost"
      DEFAULT_TOP = 8

      #: (Array[String], ?output: IO?, ?environment: Hash[String, String], ?directory: String) -> void
      def initialize(arguments, output: nil, environment: ENV, directory: Dir.pwd)
        @command_line = arguments
        @output = output
        @environment = environment
        @directory = directory
        @host = DEFAULT_HOST
        @headers = RequestHeaders.new
        @top = DEFAULT_TOP
      end

      # Returns 1 when a path failed, or the boot. Raises ConfigError or UsageError.
      def run #: () -> Integer
        @arguments = parse

        @output ||= ReportOutput.reserve
        analyses = analyze(settings)
        @output.puts @json ? Coppice::Cold::JsonReport.new(analyses, source_paths: source_paths).text : lines(analyses)
        analyses.any?(&:failure) ? STATUS_ERROR : 0
      rescue BootError => error
        Log.for(settings, role: :cold).exception(error.message, error.cause || error)
        STATUS_ERROR
      rescue Interrupt
        warn "coppice: interrupted"
        STATUS_INTERRUPTED
      end

      private

      def parse
        Config::Arguments.parse(@command_line, paths: true) do |parser|
          parser.on("--host HOST") { |host| @host = host }
          parser.on("--header HEADER") { |text| @headers.add(text) }
          parser.on("--top N", Integer) { |number| @top = number }
          parser.on("--json") { @json = true }
        end
      end

      def settings
        return @settings if @settings

        @settings, @directory = ServerSettings.load(@arguments, environment: @environment, directory: @directory)
        @settings
      end

      def analyze(settings)
        process = mold(settings)
        headers = with_login(@headers.to_h, process)
        paths.map do |path|
          Coppice::Cold::PathAnalyzer.new(process: process, path: path, host: @host, headers: headers,
                                          seconds: settings.timeout).call
        end
      end

      # In the state of one right before its first fork.
      def mold(settings)
        process = Standalone.new(settings, role: :cold).load(workers: workers_count(settings))
        Coppice::Cold::Play.prepare
        process.tap(&:become_mold)
      end

      # For :auto only a monitor decides the exact number. Nothing is served here, so an estimate is enough.
      def workers_count(settings) = [settings.worker_bounds&.min || OS::Processors.new.count.ceil, 1].max

      # The block of warm_up_requests may have another purpose than to log in.
      def with_login(headers, process)
        return headers if settings.hook(:on_warm_up).nil? || headers.key?("cookie")

        login = Coppice::Cold::Login.new(process: process, settings: settings, host: @host, headers: headers)
        { "cookie" => login.cookie, **headers }.compact
      rescue PlayFailed => error
        Log.for(settings, role: :cold).warn("the block of warm_up_requests failed: no cookies are sent",
          error: error.message)
        headers
      end

      # All of them after the last play: in a terminal the application's log would stand between them.
      def lines(analyses)
        reports = analyses.map { |one| Coppice::Cold::TextReport.new(one, source_paths: source_paths, top: @top) }
        [heading(settings), *reports.flat_map { |report| ["", *report.lines] }]
      end

      def paths = @arguments.paths.empty? ? DEFAULT_PATHS : @arguments.paths

      def source_paths = @source_paths ||= Coppice::Cold::SourcePaths.new(@directory)

      def heading(settings)
        "#{settings.rackup}, RACK_ENV #{settings.environment_name}, Ruby #{RUBY_VERSION}. " \
          "Each path is played twice in a fresh fork."
      end
    end
  end
end
