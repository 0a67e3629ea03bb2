# frozen_string_literal: true

require "coppice/tools/cli/report_output"
require "coppice/tools/cli/request_headers"
require "coppice/cli/server_settings"
require "coppice/tools/doctor/chain"
require "coppice/tools/doctor/diagnosis"
require "coppice/tools/doctor/journal"
require "coppice/tools/doctor/json_report"
require "coppice/tools/doctor/text_report"
require "coppice/fork_safety/kept_ios"

module Coppice
  class CLI
    # `coppice doctor [PATH …]`: loads the application as a mold does, forks three generations from it as a server does,
    # with requests in each of them, and reports what does not survive. Takes the flags of `serve` as well.
    class DoctorCommand
      DEFAULT_PATHS = ["/"].freeze
      DEFAULT_HOST = "localhost"
      DEFAULT_SECONDS = 120

      #: (Array[String], ?output: IO?, ?environment: Hash[String, String], ?directory: String) -> void
      def initialize(arguments, output: nil, environment: ENV, directory: Dir.pwd)
        @command_line = arguments
        @output = output
        @environment = environment
        @directory = directory
        @host = DEFAULT_HOST
        @headers = RequestHeaders.new
        @seconds = DEFAULT_SECONDS
      end

      # Raises ConfigError or UsageError.
      #: () -> Integer
      def run
        @arguments = parse

        @output ||= ForkSafety::KeptIOs.keep(ReportOutput.reserve) # the examined processes have it on purpose
        diagnosis = diagnose
        report = @json ? Doctor::JsonReport.new(diagnosis) : Doctor::TextReport.new(diagnosis, all: @all)
        @output.puts report.text
        diagnosis.passed?(strict: @strict) ? 0 : STATUS_ERROR
      rescue Interrupt
        warn "coppice: interrupted"
        STATUS_INTERRUPTED
      end

      private

      def parse
        Config::Arguments.parse(@command_line, paths: true) do |parser|
          parser.on("--host HOST") { |host| @host = host }
          parser.on("--header HEADER") { |text| @headers.add(text) }
          parser.on("--limit SECONDS", Float) { |seconds| @seconds = positive("--limit", seconds) }
          parser.on("--all") { @all = true }
          parser.on("--json") { @json = true }
          parser.on("--strict") { @strict = true }
        end
      end

      def positive(flag, number)
        raise UsageError, "#{flag} must be more than 0, but is #{number}" unless number.positive?

        number
      end

      def diagnose
        settings, = ServerSettings.load(@arguments, environment: @environment, directory: @directory)
        raise UsageError, "worker_processes is 0: nothing is forked" if settings.single?

        journal = Doctor::Journal.new
        headers = { "host" => @host, **@headers.to_h }
        chain = Doctor::Chain.new(settings, paths: paths(settings), headers: headers, seconds: @seconds,
                                            journal: journal)
        Doctor::Diagnosis.new(settings: settings, chain: chain.call, journal: journal)
      end

      def paths(settings)
        named = [@arguments.paths, settings.warm_up_paths, DEFAULT_PATHS].find(&:any?)
        named.map { |path| escaped(path) }
      end

      # As a browser sends it.
      def escaped(path) = path.b.gsub(/[^!-~]/) { |byte| format("%%%02X", byte.ord) }.force_encoding(Encoding::UTF_8)
    end
  end
end
