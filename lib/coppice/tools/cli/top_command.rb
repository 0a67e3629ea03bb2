# frozen_string_literal: true

require "coppice/cli/running_monitor"
require "coppice/cli/server_arguments"
require "coppice/stats"
require "coppice/terminal"

module Coppice
  class CLI
    # `coppice top [PID]`: shows in a terminal what a running server does right now. Reads the board from a process of
    # its own; the server is involved only in what the user tells it to do.
    class TopCommand
      INTERVAL = 2.0  # seconds
      SHORTEST = 0.1  # seconds: a look takes a millisecond
      WIDTH = 120     # columns of a table that goes into a file

      #: (Array[String], ?input: IO, ?output: IO) -> void
      def initialize(arguments, input: $stdin, output: $stdout)
        @arguments = arguments
        @input = input
        @output = output
        @interval = INTERVAL
      end

      # Returns 0. Raises UsageError or Error.
      def run #: () -> Integer
        @board = RunningMonitor.board(RunningMonitor.pid(parse))
        return report if @once || !(@input.tty? && @output.tty?)

        finish(watch)
      rescue Interrupt, Errno::EPIPE # Ctrl-C, or the reader has closed the pipe
        0
      ensure
        @board&.close
      end

      private

      def parse
        ServerArguments.parse(@arguments) do |parser|
          parser.on("--once") { @once = true }
          parser.on("--interval SECONDS", Float) { |seconds| @interval = checked(seconds) }
        end
      end

      def checked(seconds)
        return seconds if seconds >= SHORTEST

        raise UsageError, "--interval #{seconds}: the shortest is #{SHORTEST} seconds"
      end

      # nil when the server has exited.
      def stats
        (@stats ||= Stats.new(@board, measure_guests: true)).to_h if RunningMonitor.running?(@board.monitor_pid)
      end

      # A table of the last interval.
      def report
        require "coppice/tools/top/report"
        report = Top::Report.new(Terminal.new(@output), WIDTH)
        report.add(stats || gone)
        Kernel.sleep @interval
        report.add(stats || gone)
        @output.write(report.text)
        0
      end

      def gone = raise(Error, "the server (process #{@board.monitor_pid}) has exited")

      def watch
        require "coppice/control/client"
        require "coppice/tools/top/session"
        orders = Top::Orders.new(Control::Client.new(pid: @board.monitor_pid))
        Top::Session.new(source: -> { stats }, orders: orders, screen: Top::Screen.new(@input, @output),
          keyboard: Top::Keyboard.new(@input), interval: @interval).run
      ensure
        orders&.close
      end

      # As a program that does not know of the signal: the shell learns how it ended.
      def finish(outcome)
        case outcome
        when :quit then return 0
        when :gone then gone
        end
        Process.kill(outcome, Process.pid)
        Kernel.sleep
      end
    end
  end
end
