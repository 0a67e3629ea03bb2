# frozen_string_literal: true

require "coppice/errors"
require "coppice/os/atomic_file"

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

      # On a full disk this fails, and the file is as before.
      def self.write(path)
        AtomicFile.replace(path, "#{Process.pid}\n")
      rescue SystemCallError => error
        raise Error, "pidfile #{path} cannot be written: #{error.message}"
      end
      private_class_method :write

      def self.remove(path)
        File.delete(path) if AtomicFile.open(path, &:read).to_i == Process.pid
      rescue SystemCallError
        nil # somebody has removed or replaced it
      end
      private_class_method :remove
    end
  end
end
