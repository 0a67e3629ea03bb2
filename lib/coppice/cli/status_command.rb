# frozen_string_literal: true

require "coppice/cli/control_command"
require "coppice/control/status_page"
require "coppice/stats"

module Coppice
  class CLI
    # `coppice status`: reads the board from a process of its own, so it answers even when the monitor does not. With
    # --socket, from another container, the monitor is asked.
    class StatusCommand < ControlCommand
      # Returns 0. Raises UsageError or Error.
      def run #: () -> Integer
        words = parse
        verb.read(words)
        raise UsageError, "--json needs the board: use --pid" if @json && @path
        return super if @path

        board = RunningMonitor.board(RunningMonitor.pid(@pid))
        status = Stats.new(board, measure_guests: true).to_h
        @output.puts @json ? json(status) : Control::StatusPage.new(status).lines
        0
      ensure
        board&.close
      end

      private

      def verb = Control::VERBS.fetch("status")

      def own_flags(flags) = flags.on("--json") { @json = true }

      def json(status)
        require "json"
        JSON.generate(status)
      end
    end
  end
end
