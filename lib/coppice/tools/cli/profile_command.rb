# frozen_string_literal: true

require "fileutils"
require "coppice/cli/running_monitor"
require "coppice/cli/server_arguments"
require "coppice/config/options"
require "coppice/gc_profile"
require "coppice/gc_profile/fit"
require "coppice/gc_profile/allocations"

module Coppice
  class CLI
    # `coppice profile [PID]`: writes a file of garbage collector parameters that fit the allocations which a worker of
    # a running server has measured. Reads the board from a process of its own; the server is not involved.
    class ProfileCommand
      #: (Array[String], ?output: IO) -> void
      def initialize(arguments, output: $stdout)
        @arguments = arguments
        @output = output
        @price = Config::OPTIONS[:memory_price].default
        @path = GCProfile::FILE # relative to the current directory, as for `serve`
      end

      # Returns 0. Raises UsageError or Error.
      def run #: () -> Integer
        board = RunningMonitor.board(RunningMonitor.pid(parse))
        text = text_of(measurement(board))
        @print ? @output.print(text) : write(text)
        0
      ensure
        board&.close
      end

      private

      def parse
        ServerArguments.parse(@arguments) do |parser|
          parser.on("--output FILE") { |path| @path = path }
          parser.on("--memory-price N") { |text| @price = price(text) }
          parser.on("--print") { @print = true }
        end
      end

      def price(text)
        Config::OPTIONS[:memory_price].type.parse(text)
      rescue InvalidValue => error
        raise UsageError, "--memory-price #{error.message}"
      end

      # The measurement of the most requests, of the newest generation.
      def measurement(board)
        found = board.rows.reject { |row| row.allocations.empty? }
                     .map { |row| [GCProfile::Allocations.parse(row.allocations), row.generation] }
        best = found.max_by { |measurement, generation| [measurement.requests, generation] }
        best&.first or raise Error, nothing_yet(board)
      rescue ArgumentError => error
        raise Error, "a worker's measurement cannot be read: #{error.message}"
      end

      # Whether to wait, or to change the configuration: only the lead worker measures, and not for long.
      def nothing_yet(board)
        served = board.rows.filter_map { |row| row.requests if row.role_name == :worker && row.nr.zero? }.max.to_i
        enough = GCProfile::MEASURED_REQUESTS
        if served < enough
          return "nothing is measured yet: worker 0 has served #{served} of the #{enough} requests that it takes. " \
                 "Send it more, or wait. Where the configuration sets gc_profile to another value than :fitted, its " \
                 "default, nothing is measured"
        end

        "worker 0 has served #{served} requests and measured none, so gc_profile is not :fitted: remove it from the " \
          "configuration, and roll or restart"
      end

      def text_of(measurement)
        fit = GCProfile::Fit.new(measurement, price: @price)
        GCProfile::ProfileFile.text(fit.variables, [
          "Parameters of Ruby's garbage collector, written by `coppice profile` on #{Time.now.strftime('%F')} " \
          "for Ruby #{RUBY_VERSION}.",
          "Measured: #{measurement}",
          "Requests between two minor collections: #{fit.requests_per_collection}"
        ])
      end

      def write(text)
        FileUtils.mkdir_p(File.dirname(@path))
        File.write(@path, text)
        @output.puts "written: #{@path}"
      rescue SystemCallError => error
        raise Error, "#{@path} cannot be written: #{error.message}"
      end
    end
  end
end
