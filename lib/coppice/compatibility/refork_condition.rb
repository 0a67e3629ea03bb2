# frozen_string_literal: true

require "coppice/config/options"

module Pitchfork
  # Only the pause after a refork that failed: the conditions themselves are Pitchfork's own.
  module ReforkCondition
    class << self
      #: () -> Numeric
      def backoff_delay = @backoff_delay || Coppice::Config::OPTIONS[:refork_backoff].default

      # In a configuration it is the option refork_backoff. Later it is too late: an application does not decide it.
      #: (Numeric) -> void
      def backoff_delay=(seconds)
        Coppice::Compatibility.record&.option(:refork_backoff, [seconds])
        @backoff_delay = seconds
      end
    end
  end
end
