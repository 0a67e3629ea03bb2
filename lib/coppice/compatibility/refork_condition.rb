# frozen_string_literal: true

require "coppice/config/options"

module Pitchfork
  # Only the pause after a refork that failed. The classes of conditions are not here.
  module ReforkCondition
    class << self
      #: () -> Numeric
      def backoff_delay = @backoff_delay || Coppice::Config::OPTIONS[:refork_backoff].default

      # In a configuration this sets the option refork_backoff. In an application it has no effect.
      #: (Numeric) -> void
      def backoff_delay=(seconds)
        Coppice::Compatibility.record&.option(:refork_backoff, [seconds])
        @backoff_delay = seconds
      end
    end
  end
end
