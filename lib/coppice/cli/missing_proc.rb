# frozen_string_literal: true

module Coppice
  class CLI
    # Tells of a sandbox without /proc, in one place for all that is missing then.
    class MissingProc
      FOLDER = "/proc/self"

      #: (?folder: String) -> void
      def initialize(folder: FOLDER)
        @folder = folder
      end

      # nil where there is one.
      #: () -> String?
      def warning
        return if File.directory?(@folder)

        "there is no /proc: commands such as `coppice status` find no server, memory is not measured, and forks are " \
          "not audited"
      end
    end
  end
end
