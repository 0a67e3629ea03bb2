# frozen_string_literal: true

require "json"
require "coppice/cli/running_monitor"
require "coppice/cli/server_arguments"
require "coppice/tools/memory/table"
require "coppice/tools/memory/server_memory"

module Coppice
  class CLI
    # `coppice memory [PID]`: shows the memory that each process of a running server uses, and what they share. Reads
    # the board and /proc from a process of its own; the server is not involved.
    class MemoryCommand
      INTERVAL = 2
      CLEAR_SCREEN = "\e[H\e[2J"

      #: (Array[String], ?output: IO) -> void
      def initialize(arguments, output: $stdout)
        @arguments = arguments
        @output = output
      end

      # Returns 0. Raises UsageError or Error.
      def run #: () -> Integer
        board = RunningMonitor.board(RunningMonitor.pid(parse))
        refuse_without_sizes
        if @map then draw(board)
        elsif @watch then watch(board)
        else show(board)
        end
        0
      rescue Interrupt, Errno::EPIPE # Ctrl-C, or the reader has closed the pipe
        0
      rescue Errno::EACCES, Errno::EPERM
        raise Error, "this user may not read the memory of the server's processes. Run this as root"
      ensure
        board&.close
      end

      private

      def parse
        pid = ServerArguments.parse(@arguments) do |parser|
          parser.on("--watch") { @watch = true }
          parser.on("--json") { @json = true }
          parser.on("--map FILE") { |file| @map = file }
        end
        raise UsageError, "--map cannot be combined with --watch or --json" if @map && (@watch || @json)

        pid
      end

      # Without this file each process would count as one that has exited meanwhile.
      def refuse_without_sizes
        Coppice::Memory::Rollup.of
      rescue Errno::ENOENT
        raise Error, "this kernel does not tell how much memory a process has: there is no /proc/PID/smaps_rollup"
      end

      # Until Ctrl-C, or until the server has exited.
      def watch(board)
        while RunningMonitor.running?(board.monitor_pid)
          @output.print CLEAR_SCREEN if @output.tty? && !@json
          show(board)
          @output.flush
          Kernel.sleep INTERVAL
        end
      end

      def show(board)
        server = Coppice::Memory::ServerMemory.of(board)
        @output.puts @json ? JSON.generate(server.to_h) : Coppice::Memory::Table.new(server).to_s
      end

      def draw(board)
        require "coppice/tools/memory/picture"
        write(Coppice::Memory::Picture.of(Coppice::Memory::ServerMemory.of(board)).to_s)
        @output.puts "written: #{@map}"
      end

      def write(text)
        File.write(@map, text)
      rescue SystemCallError => error
        raise Error, "#{@map} cannot be written: #{error.message}"
      end
    end
  end
end
