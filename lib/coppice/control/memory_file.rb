# frozen_string_literal: true

require "coppice/coppice_ext"
require "coppice/errors"

module Coppice
  module Control
    # A value of any size in a file that has no name and lies in memory (memfd_create(2)). A message must fit into one
    # datagram: what may be larger travels as a descriptor beside it. Plain values only, as in messages.
    module MemoryFile
      #: (untyped, name: String) -> File
      def self.write(value, name:)
        file = File.for_fd(OS.memory_file(name), "w+b")
        file.sync = true
        file.write(Marshal.dump(value))
        file
      end

      # Does not move the file's position, which all processes with this file share. Raises ProtocolMismatch when the
      # file holds no value.
      #: (IO) -> untyped
      def self.read(file)
        Marshal.load(file.pread(file.stat.size, 0)) # rubocop:disable Security/MarshalLoad
      rescue TypeError, ArgumentError => error
        raise ProtocolMismatch, "a malformed file: #{error.message}"
      end
    end
  end
end
