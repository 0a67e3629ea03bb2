# frozen_string_literal: true

module Coppice
  class CLI
    # Standard output for a report alone.
    module ReportOutput
      # From then on what the configuration and the application print goes to standard error, also in processes that are
      # forked later.
      #: () -> IO
      def self.reserve
        report = $stdout.dup
        report.sync = true
        $stdout.reopen($stderr)
        report
      end
    end
  end
end
