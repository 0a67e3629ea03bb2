# frozen_string_literal: true

require "coppice/config/types"

module Coppice
  module Config
    module Types
      # The largest number of guests at once; false for none.
      class GuestCount < Type
        MAXIMUM = 64

        def description = "false, or a whole number from 0 to #{MAXIMUM}"
        def placeholder = "N|false"

        #: (String) -> (Integer | bool)
        def parse(text)
          check(text == "false" ? false : Integer(text, 10, exception: false) || text)
        end

        private

        def accepts?(value)
          value == false || (value.is_a?(Integer) && value.between?(0, MAXIMUM))
        end
      end
    end
  end
end
