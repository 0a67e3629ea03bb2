# frozen_string_literal: true

require "coppice/cli/running_monitor"
require "coppice/control/client"
require "coppice/control/guest_request"
require "coppice/guest_client"

module Coppice
  class CLI
    # `coppice run PROGRAM …` and `coppice run -e CODE …`: runs a program in a fork of the warm application, as if it
    # had been started here.
    class RunCommand
      USAGE = "usage: coppice run [--pid PID | --socket PATH] [--fallback] PROGRAM [ARG …] | -e CODE [ARG …]"

      #: (Array[String], ?error: IO) -> void
      def initialize(arguments, error: $stderr)
        @arguments = arguments
        @error = error
      end

      # Returns the exit status of the program. Dies by the signal that the program has died by. With --fallback it
      # becomes the program where no server runs it. Raises UsageError or Error.
      def run #: () -> Integer
        mode, program, arguments = parse
        raise UsageError, "--fallback needs a PROGRAM. #{USAGE}" if @fallback && mode != "program"

        request = Control::GuestRequest.new(mode: mode, program: program, arguments: arguments, umask: File.umask,
          environment: ENV.to_h, terminal: false)
        return run_or_become(request) if @fallback

        request.directory = directory
        GuestClient.new(server, request).run.end_process
      end

      private

      # The program would begin in it.
      def directory
        Dir.pwd
      rescue SystemCallError
        raise Error, "the current directory does not exist any more. Change to another one"
      end

      # The flags end where the program begins: what follows is its own.
      def parse
        words = @arguments.dup
        while words.first&.start_with?("-")
          case flag = words.shift.scrub
          when "--pid", "--socket" then name_server(flag, words.shift)
          when /\A--(pid|socket)=(.+)/m then name_server("--#{$1}", $2)
          when "--fallback" then @fallback = true
          when "--" then break
          else return special(flag, words)
          end
        end
        request_of(words)
      end

      def name_server(flag, value)
        raise UsageError, "#{flag} needs a value" unless value

        flag == "--pid" ? @pid = value : @path = value
        raise UsageError, "--pid and --socket both name the server: use one" if @pid && @path
      end

      def special(flag, words)
        raise UsageError, "unknown flag #{flag}. #{USAGE}" unless flag == "-e" && !words.empty?

        ["code", words.first, words.drop(1)]
      end

      def request_of(words)
        raise UsageError, USAGE if words.empty?

        ["program", words.first, words.drop(1)]
      end

      def server = Control::Client.new(pid: (RunningMonitor.pid(@pid) unless @path), path: @path)

      # A program that can do without a server must not run in that of another application.
      def own_server(request)
        return server if @path || @pid

        folder = File.expand_path("../..", request.program)
        pid = RunningMonitor.running_in([folder, Dir.pwd].uniq) or
          raise Error, "this user does not run exactly one Coppice server in #{folder}"
        Control::Client.new(pid: pid)
      end

      # A guest that refuses its client has said why. What the user has interrupted must not start a second time.
      def run_or_become(request)
        request.directory = directory
        client = GuestClient.new(own_server(request), request)
        status = client.run
        return status.end_process unless status.refused?

        client.ending_signal ? GuestClient::Signals.die_by(client.ending_signal) : become(request)
      rescue GuestLost, UsageError, Bug
        raise
      rescue Error => error
        raise if client&.ending_signal

        reason = error.message.lines.first.chomp.sub(/[.:]\z/, "")
        @error.puts "coppice: #{reason}. #{request.program} starts without the server"
        become(request)
      end

      # COPPICE_RUN is what makes a binstub ask for a guest.
      def become(request)
        require "rbconfig"
        exec({ "COPPICE_RUN" => nil }, RbConfig.ruby, request.program, *request.arguments)
      end
    end
  end
end
