# frozen_string_literal: true

require "coppice/errors"
require "coppice/log"

module Coppice
  module Cold
    # Why a path could not be analyzed.
    Failure = Struct.new(:message, :backtrace, keyword_init: true) do
      #: (Exception) -> Failure
      def self.of(error)
        message = error.is_a?(Error) ? error.message : "#{Log::Text.valid(error.message)} (#{error.class})"
        new(message: message, backtrace: error.backtrace || [])
      end
    end
  end
end
