# frozen_string_literal: true

require "coppice/errors"
require "coppice/log/access_file"

module Coppice
  class Log
    # Opens log files anew after a rotation. The standard streams are opened by the monitor alone, and its children get
    # the descriptors. Files of the application's loggers are opened anew by each process that has them.
    class Reopening
      GET_FLAGS = 3 # F_GETFL, without the library fcntl, which is a gem
      STANDARD = { standard_output: STDOUT, standard_error: STDERR }.freeze

      # Remembers the names now, since after a rotation the kernel tells the new name of the old file.
      def initialize
        @paths = STANDARD.transform_values { |io| path_of(io) }.compact
      end

      # In the monitor. Yields the new files, and the identities of the old ones, by name. Returns the paths. Raises
      # SystemCallError.
      #: () { (Hash[Symbol, File], Hash[Symbol, [Integer, Integer]]) -> void } -> Array[String]
      def call
        replaces = @paths.keys.to_h { |name| [name, self.class.identity(STANDARD.fetch(name))] }
        files = @paths.to_h { |name, path| [name, open_anew(path, STANDARD.fetch(name).stat.mode)] }
        self.class.follow(files, replaces)
        self.class.reopen_renamed_files
        yield files, replaces
        @paths.values.uniq
      end

      class << self
        # Appends the standard streams to the files of stdout_path and stderr_path, and makes sure that there can be an
        # access log. Before the log is made, in a process that forks nothing before. Raises ConfigError.
        #: (Config::Settings) -> void
        def redirect(settings)
          { STDOUT => :stdout_path, STDERR => :stderr_path }.each do |stream, name|
            path = settings.public_send(name) or next
            # By its path a stream would be lost where the file cannot be opened.
            File.open(path, "a") { |file| stream.reopen(file) }
            stream.sync = true
          rescue SystemCallError => error
            raise ConfigError.new("#{name} cannot be opened (#{error.message})", file: settings.config_file)
          end
          AccessFile.verify(settings)
        end

        # Replaces the standard streams by these files, unless a stream is not what the monitor's was.
        #: (Hash[Symbol, IO], Hash[Symbol, [Integer, Integer]]) -> void
        def follow(files, replaces)
          files.each do |name, file|
            stream = STANDARD.fetch(name)
            next if stream.closed? || identity(stream) != replaces[name]

            sync = stream.sync
            stream.reopen(file)
            stream.sync = sync
          end
        end

        # Opens anew each file of this process that is opened to append, is not buffered, and is no longer at its path:
        # the files of loggers.
        #: () -> void
        def reopen_renamed_files
          ObjectSpace.each_object(File).to_a.each { |file| reopen(file) if renamed_log?(file) }
        end

        # Device and inode.
        #: (IO) -> [Integer, Integer]
        def identity(io) = io.stat.then { |status| [status.dev, status.ino] }

        private

        def renamed_log?(file)
          return false if file.closed? || !file.sync || !file.stat.file? || !file.path&.start_with?("/")

          file.fcntl(GET_FLAGS).anybits?(File::APPEND) && !at_path?(file)
        rescue IOError, SystemCallError # of another thread, which closes it now
          false
        end

        def at_path?(file)
          File.stat(file.path).then { |status| [status.dev, status.ino] } == identity(file)
        rescue Errno::ENOENT
          false
        end

        def reopen(file)
          file.reopen(file.path, "a")
          file.sync = true
        end
      end

      private

      def path_of(io)
        path = File.readlink("/proc/self/fd/#{io.fileno}")
        path if io.stat.file? && File.identical?(path, io)
      rescue SystemCallError, IOError # it is closed, or there is no /proc
        nil
      end

      def open_anew(path, mode) = File.open(path, File::WRONLY | File::APPEND | File::CREAT, mode & 0o777)
    end
  end
end
