# frozen_string_literal: true

module Coppice
  class CLI
    # Tells which log files a server could not open when it starts. Creates none: it would belong to the user who runs
    # this, who may be another one than the server's. For the same reason it is no error.
    class LogFiles
      FLAGS = File::WRONLY | File::APPEND | File::NONBLOCK
      private_constant :FLAGS

      #: (Config::Settings) -> void
      def initialize(settings)
        @settings = settings
      end

      #: () -> Array[String]
      def warnings
        files.filter_map do |name, path|
          obstacle = obstacle(path)
          "#{name} #{path} cannot be opened by user #{Process.euid}: #{obstacle}" if obstacle
        end
      end

      private

      def files
        { stdout_path: @settings.stdout_path, stderr_path: @settings.stderr_path,
          access_log: @settings.access_log&.last }.compact
      end

      # A named pipe is left alone: its reader may end when the last writer closes it.
      def obstacle(path)
        File.open(path, FLAGS).close unless File.pipe?(path)
      rescue Errno::ENOENT
        obstacle_to_creation(path)
      rescue SystemCallError => error
        Coppice.system_error_text(error)
      end

      # The path may be a symbolic link to a file that does not exist yet.
      def obstacle_to_creation(path)
        directory = File.dirname(File.realdirpath(path))
        "directory #{directory} is not writable" unless File.writable?(directory) && File.executable?(directory)
      rescue Errno::ENOENT
        "its directory does not exist"
      rescue SystemCallError => error
        Coppice.system_error_text(error)
      end
    end
  end
end
