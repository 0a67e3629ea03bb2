# frozen_string_literal: true

module Coppice
  class CLI
    # Tells of admin_actions at a port without admin_token: each user of the machine, and each program on it, may act.
    class OpenActions
      #: (Config::Settings) -> void
      def initialize(settings)
        @settings = settings
      end

      # nil for Unix sockets, whose mode says who may connect.
      #: () -> String?
      def warning
        return if @settings.admin_token || !@settings.admin_actions

        port = @settings.admin_listen&.find { |address| !address.unix? } or return
        "admin_actions without admin_token lets every user of this machine act on the server at #{port}: set " \
          "admin_token, or let admin_listen be a Unix socket"
      end
    end
  end
end
