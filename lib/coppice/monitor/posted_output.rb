# frozen_string_literal: true

module Coppice
  class Monitor
    # Where the monitor's log goes: to the real place by way of a helper thread, so that a log nobody reads (a full pipe,
    # a slow disk) cannot stop the monitor. An entry has its time already.
    class PostedOutput
      #: (Log::Output | Log::Adapter, HelperThread) -> void
      def initialize(output, helper)
        @output = output
        @helper = helper
      end

      #: (Log::Entry) -> void
      def emit(entry)
        @helper.post { @output.emit(entry) }
      end
    end
  end
end
