# frozen_string_literal: true

module Coppice
  module Http
    # The response of the server's own: one line that says why. The connection is closed after it.
    module ErrorPage
      HEADERS = { "content-type" => "text/plain; charset=utf-8", "connection" => "close" }.freeze

      # reason: nil if the application failed, which is nothing that a client should know more of.
      #: (Integer, String?) -> String
      def self.text(status, reason) = "#{status}: #{reason || 'the application failed'}\n"
    end
  end
end
