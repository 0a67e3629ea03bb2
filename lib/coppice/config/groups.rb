# frozen_string_literal: true

module Coppice
  module Config
    # Sections of docs/configuration.md, in its order.
    module Groups
      PROCESSES = "Processes"
      LISTENERS = "Listeners"
      LOBBY = "Connections of the lobby"
      TIMEOUTS = "Timeouts"
      REFORKING = "Reforking"
      RELEASES = "New releases"
      MEMORY = "Memory"
      REQUESTS = "Requests"
      LIMITS = "Limits of a request"
      LOGGING = "Logging"
      MONITORING = "Monitoring"
    end
  end
end
