# frozen_string_literal: true

module Coppice
  class CLI
    # How the command line tells a Coppice::Error.
    module ErrorLine
      #: (Error) -> String
      def self.of(error) = "coppice: #{error.message}"
    end
  end
end
