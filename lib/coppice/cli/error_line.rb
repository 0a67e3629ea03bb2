# frozen_string_literal: true

require "coppice/errors"

module Coppice
  class CLI
    # How people are told what ends a command.
    module ErrorLine
      # The message of an exception that is not Coppice's may say nothing without its class.
      #: (StandardError) -> String
      def self.of(error)
        error_class = " (#{error.class})" unless error.is_a?(Error)
        "coppice: #{error.message}#{error_class}"
      end
    end
  end
end
