# frozen_string_literal: true

require "coppice/os/proc_folder"

module Coppice
  class CLI
    # Tells of a sandbox without /proc, in one place for all that is missing then.
    class MissingProc
      #: (?folder: String) -> void
      def initialize(folder: OS::ProcFolder::OF_THIS_PROCESS)
        @folder = folder
      end

      # nil where there is one.
      #: () -> String?
      def warning
        return if OS::ProcFolder.exist?(@folder)

        "there is no /proc: commands such as `coppice status` find no server, memory is not measured, and forks are " \
          "not audited"
      end
    end
  end
end
