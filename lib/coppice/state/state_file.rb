# frozen_string_literal: true

require "digest"
require "coppice/os/atomic_file"

module Coppice
  class State
    # A small file of lines, which is replaced as a whole: a reader never sees a part of it. The last line is a
    # checksum, since a crash of the machine may leave an empty or spoiled file behind. A file that another user could
    # have written is refused, because the next server would act on it.
    class StateFile
      TITLE = "# Written by Coppice for its next start (docs/memory.md, What a server keeps). You may delete it."
      MAX_BYTES = 64 * 1024

      attr_reader :path #: String

      #: (String) -> void
      def initialize(path)
        @path = path
      end

      # The lines; nil if there is no file. Raises ArgumentError for a file that is spoiled or foreign, SystemCallError
      # for one that cannot be read.
      #: () -> Array[String]?
      def read
        title, *lines, checksum = text.lines(chomp: true)
        raise ArgumentError, "it is spoiled" unless title == TITLE && checksum == checksum_of(lines)

        lines
      rescue Errno::ENOENT, Errno::ENOTDIR
        nil
      end

      # Makes the directory if only that is missing. Raises SystemCallError.
      #: (Array[String]) -> void
      def write(lines)
        folder = File.dirname(path)
        Dir.mkdir(folder) unless Dir.exist?(folder)
        OS::AtomicFile.replace(path, [TITLE, *lines, checksum_of(lines)].map { |line| "#{line}\n" }.join)
      end

      private

      def text
        OS::AtomicFile.open(path) do |file|
          stat = file.stat
          raise ArgumentError, "it is no file" unless stat.file?
          raise ArgumentError, "other users can write to it" unless trusted?(stat)

          String.new(file.read(MAX_BYTES).to_s, encoding: Encoding::UTF_8).scrub
        end
      end

      def trusted?(stat) = [Process.euid, 0].include?(stat.uid) && stat.mode.nobits?(0o022)

      def checksum_of(lines) = "checksum #{Digest::SHA256.hexdigest(lines.join("\n"))[0, 16]}"
    end
  end
end
