# frozen_string_literal: true

require "coppice/cli/running_monitor"
require "coppice/config/flag_parser"
require "coppice/control/client"
require "coppice/control/path_word"

module Coppice
  class CLI
    # `coppice refork`, `workers`, `recycle` and the like: says one verb to the monitor of a running server and prints
    # the answer. There is a subclass for each verb.
    class ControlCommand
      EXIT_SECONDS = 10 # between the monitor's last line and its end: hooks and log lines that are still queued

      #: (Array[String], ?output: IO) -> void
      def initialize(arguments, output: $stdout)
        @arguments = arguments
        @output = output
      end

      # Returns 0. Raises UsageError or Error.
      def run #: () -> Integer
        words = parse
        verb.read(words)
        pid = RunningMonitor.pid(@pid, to_roll: verb.name == "roll") unless @path
        Control::Client.new(pid: pid, path: @path).call(verb.name, *words) { |line| show(line) }
        wait_for_end(pid) if verb.name == "stop" && pid
        0
      rescue Interrupt, Errno::EPIPE # Ctrl-C, or the reader has closed the pipe: the outcome is not known
        STATUS_ERROR
      end

      private

      # The words of the verb.
      def parse
        switches = []
        parser = Config::FlagParser.new do |flags|
          flags.on("--pid PID") { |pid| @pid = pid }
          flags.on("--socket PATH") { |path| @path = path }
          verb.switches.each_key { |name| flags.on(name) { switches << name } }
          own_flags(flags)
        end
        words = parser.words(@arguments)
        @pid ||= words.pop if pid_last?(words)
        words = words.zip(verb.arguments).map { |word, argument| encoded(word, argument) }
        words += switches
        raise UsageError, "--pid and --socket both name the server: use one" if @pid && @path

        words
      end

      # A number behind the words of the verb is a pid, as a message lists those of several servers. A release may have
      # such a name.
      def pid_last?(words)
        return false unless words.last.to_s.match?(/\A\d+\z/)

        argument = verb.named[words.size - 1]
        argument.nil? || (argument.path && !File.directory?(words.last))
      end

      # A path is meant from the user's directory, not from the server's.
      def encoded(word, argument) = argument&.path ? Control::PathWord.encode(File.expand_path(word)) : word

      # Flags of this command alone.
      def own_flags(_flags) = nil

      def show(line)
        @output.puts line
        @output.flush
      end

      # Its last words come before its own end.
      def wait_for_end(pid)
        limit = OS::Clock.now + EXIT_SECONDS
        Kernel.sleep 0.02 while OS::Clock.now < limit && RunningMonitor.running?(pid)
      end
    end

    # ReforkCommand, LogLevelCommand, …: coppice/cli/commands names them. `status` has a file of its own.
    Control::VERBS.each_value do |verb|
      next if verb.name == "status" || verb.descriptors

      const_set(Control.command_class(verb), Class.new(ControlCommand) { define_method(:verb) { verb } })
    end
  end
end
