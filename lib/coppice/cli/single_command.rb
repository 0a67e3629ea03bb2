# frozen_string_literal: true

require "coppice/cli/first_stderr"
require "coppice/config/loader"
require "coppice/log"
require "coppice/log/reopening"
require "coppice/os/pidfile"
require "coppice/single"
require "coppice/single/warnings"

module Coppice
  class CLI
    # What `serve` becomes with worker_processes 0, and on systems other than Linux.
    class SingleCommand
      #: (Array[String]) -> void
      def initialize(arguments)
        @arguments = arguments
      end

      # Serves until the process is told to stop; returns the exit status. Raises Error for a mistake that shows before
      # the application is loaded.
      def run #: () -> Integer
        FirstStderr.watch { |first_stderr| serve(first_stderr) }
      end

      private

      def serve(first_stderr)
        settings = Config::Loader.new(arguments: @arguments, environment: ENV, directory: Dir.pwd).load
        Log::Reopening.redirect(settings)
        log = Log.for(settings, role: :single)
        Single::Warnings.new(settings, log).call
        log.info("connections are closed after each response: the lobby needs worker processes") if settings.lobby?
        settings.ruby_flags.apply
        OS::Pidfile.hold(settings.pidfile) { Single.new(settings, log: log).run { first_stderr.close } }
        0
      rescue BootError => error
        first_stderr.tell(error)
        log.exception(error.message, error.cause || error)
        STATUS_ERROR
      end
    end
  end
end
