# frozen_string_literal: true

require "coppice/log"

# Runs in the monitor.

module Coppice
  class Monitor
    # A log whose lines are written by the helper thread, so that a log nobody reads
    # (a full pipe, a slow disk) cannot stop the monitor.
    class PostedLog
      #: (Log, HelperThread) -> void
      def initialize(log, helper)
        @log = log
        @helper = helper
      end

      [*Log::LEVELS.keys, :exception].each do |name|
        define_method(name) do |*arguments, **fields|
          @helper.post { @log.public_send(name, *arguments, **fields) }
        end
      end
    end
  end
end
