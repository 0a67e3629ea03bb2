# frozen_string_literal: true

require "coppice/config/types/percentage"

module Coppice
  module Config
    module Types
      # So many of the workers: a whole number, or a share of them as a text ("25%").
      class Share < Type
        PERCENT = /\A(0|[1-9]\d{0,2})%\z/.freeze

        # Rounded up.
        #: (Integer | String, Integer) -> Integer
        def self.of(share, workers)
          share.is_a?(Integer) ? share : (workers * Percentage.fraction(share)).ceil
        end

        def description = "a whole number of workers, 0 or more, or a share of them such as \"25%\""
        def placeholder = "N"

        #: (String) -> (Integer | String)
        def parse(text)
          check(Integer(text, 10, exception: false) || text)
        end

        private

        def accepts?(value)
          value.is_a?(Integer) ? value >= 0 : value.is_a?(String) && value.match?(PERCENT)
        end
      end
    end
  end
end
