# frozen_string_literal: true

require "coppice/errors"

module Coppice
  module OS
    # The file of the option `pidfile`. A server that starts beside the former one replaces its file, which is then no
    # longer the former's to remove.
    module Pidfile
      # The file has this process's pid while the block runs; without a path there is none. Raises Error for a file that
      # cannot be written.
      #: [T] (String?) { () -> T } -> T
      def self.hold(path)
        return yield unless path

        write(path)
        begin
          yield
        ensure
          remove(path)
        end
      end

      # Under another name first: a reader finds a whole pid, or none. On a full disk the file exists, and is empty.
      def self.write(path)
        temporary = "#{path}.#{Process.pid}"
        File.write(temporary, "#{Process.pid}\n")
        File.rename(temporary, path)
      rescue SystemCallError => error
        delete(temporary)
        raise Error, "pidfile #{path} cannot be written: #{error.message}"
      end
      private_class_method :write

      def self.remove(path)
        File.delete(path) if File.read(path).to_i == Process.pid
      rescue Errno::ENOENT
        nil # somebody has removed it
      end
      private_class_method :remove

      def self.delete(path)
        File.delete(path)
      rescue SystemCallError
        nil # it could not be made
      end
      private_class_method :delete
    end
  end
end
