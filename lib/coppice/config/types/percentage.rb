# frozen_string_literal: true

require "coppice/config/types"

module Coppice
  module Config
    module Types
      # A part of something whose size is not known yet, as a text.
      class Percentage < Type
        TEXT = /\A[1-9]\d{0,3}%\z/.freeze

        #: (String) -> Rational
        def self.fraction(text) = Rational(Integer(text.delete_suffix("%"), 10), 100)

        #: (?maximum: Integer?) -> void
        def initialize(maximum: nil)
          @maximum = maximum
          freeze
        end

        def description = "a share such as \"20%\"#{", at most \"#{@maximum}%\"" if @maximum}"
        def placeholder = "SHARE"

        #: (String) -> String
        def parse(text) = check(text)

        #: (untyped) -> bool
        def accepts?(value)
          value.is_a?(String) && value.match?(TEXT) && (@maximum.nil? || Percentage.fraction(value) * 100 <= @maximum)
        end
      end
    end
  end
end
