# frozen_string_literal: true

require "coppice/board"
require "coppice/coppice_ext"
require "coppice/log/access_file"

module Coppice
  module Http
    # The access log of a process that accepts clients itself; loaded only where the option is set. It has the same
    # lines as that of the lobby. Owns the file, of which each process has its own.
    class AccessLog
      # For settings with the option. row: any of the board. Raises SystemCallError.
      #: (Config::Settings, Board::Row, worker: Integer, generation: Integer) -> AccessLog
      def self.of(settings, row, worker:, generation:)
        format, path = settings.access_log
        new(path, json: format == :json, worker: worker, generation: generation, record: Board.new(row.cells).lobby,
          networks: settings.trusted_networks)
      end

      attr_reader :lines #: AccessLines -- for Connection#access_log=

      # path: nil for standard output. record: counts lines that could not be written. networks: of the proxies that may
      # name their clients. Raises SystemCallError.
      #: (String?, json: bool, worker: Integer, generation: Integer, record: Board::Record,
      #    networks: Array[String]) -> void
      def initialize(path, json:, worker:, generation:, record:, networks:)
        @path = path
        @file = path ? Log::AccessFile.open(path) : $stdout
        @lines = AccessLines.new(@file.fileno, json, worker, generation, record, networks)
      end

      # After a rotation. Standard output is opened anew by the monitor. Raises SystemCallError.
      #: () -> void
      def reopen
        return unless @path

        file = Log::AccessFile.open(@path)
        @file.reopen(file) # which keeps its number
      ensure
        file&.close
      end

      #: () -> void
      def close
        @file.close if @path
      end
    end
  end
end
