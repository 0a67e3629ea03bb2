# frozen_string_literal: true

require "coppice/errors"

module Coppice
  class Log
    # Opens the file of the option access_log, to append to it.
    module AccessFile
      # A named pipe without a reader is an error: to wait for one would stop the process. The writer of the lines waits
      # for nobody either, and drops those for which a pipe has no room.
      FLAGS = File::WRONLY | File::APPEND | File::CREAT | File::NONBLOCK
      private_constant :FLAGS

      # Raises SystemCallError.
      #: (String) -> File
      def self.open(path) = File.open(path, FLAGS)

      # Whether it can be opened shows before the server starts. A named pipe is left alone: its reader may end when the
      # last writer closes it. Raises ConfigError.
      #: (Config::Settings) -> void
      def self.verify(settings)
        _, path = settings.access_log
        AccessFile.open(path).close if path && !File.pipe?(path)
      rescue SystemCallError => error
        raise ConfigError.new("access_log cannot be opened (#{error.message})", file: settings.config_file)
      end
    end
  end
end
