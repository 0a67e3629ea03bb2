# frozen_string_literal: true

require "coppice/errors"
require "coppice/log/plain_line"

module Coppice
  class CLI
    # How people are told what ends a command.
    module ErrorLine
      # The message of an exception that is not Coppice's may say nothing without its class. io: where it is to be
      # written.
      #: (StandardError, io: IO) -> String
      def self.of(error, io:)
        error_class = " (#{error.class})" unless error.is_a?(Error)
        Log::PlainLine.of("#{error.message}#{error_class}", io: io)
      end
    end
  end
end
