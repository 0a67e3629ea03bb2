# frozen_string_literal: true

require "coppice/cli/descriptor_limit"
require "coppice/cli/disk_limit"
require "coppice/cli/missing_proc"
require "coppice/cli/open_actions"
require "coppice/cli/stop_time"

module Coppice
  class CLI
    # What `serve` and `check` warn of: settings that do not go together with the platform's limits, or with each other,
    # or that let others act, and what the platform lacks.
    module Warnings
      # environment: as the platform has made it.
      #: (Config::Settings, Hash[String, String]) -> Array[String]
      def self.of(settings, environment)
        [StopTime.new(settings, environment), DescriptorLimit.new(settings), DiskLimit.new(settings),
         OpenActions.new(settings), MissingProc.new].filter_map(&:warning)
      end
    end
  end
end
