# frozen_string_literal: true

require "coppice/config/types"

module Coppice
  module Config
    module Types
      # Request counts, one for each generation. The last may be false or nil: that generation is the final one.
      # Kept as a frozen Array that ends in an Integer or in false. Or :auto, for what no count can say.
      class RequestCounts < Type
        def description = "a list of request counts, each 1 or more, of which the last may be false; or :auto"
        def placeholder = "N,N,…|auto"

        #: (untyped) -> (Array[Integer | false] | :auto)
        def check(value)
          return value if value == :auto
          return refuse(value) unless value.is_a?(Array) && !value.empty?

          *counts, last = value
          good = counts.all? { |count| count?(count) } && (!last || count?(last))
          good ? [*counts, last || false].freeze : refuse(value)
        end

        #: (String) -> (Array[Integer | false] | :auto)
        def parse(text)
          return :auto if text == "auto"

          check(text.split(",").map { |word| word == "false" ? false : Integer(word, 10, exception: false) || word })
        end

        private

        def count?(value)
          value.is_a?(Integer) && value.positive?
        end
      end
    end
  end
end
