# frozen_string_literal: true

require "coppice/config/types"
require "coppice/config/types/percentage"

module Coppice
  module Config
    module Types
      # So much memory, of one of two kinds. Kept as a frozen Hash of the kind and the amount: bytes, or a share as a text.
      class MemoryLimit < Type
        KINDS = [:pss, :private].freeze
        SHARE = Percentage.new(maximum: 100)

        # In KiB, where there is so much memory in all; nil for a share of what nobody knows.
        #: (Hash[Symbol, Integer | String], Integer?) -> Integer?
        def self.kib(limit, total_kib)
          amount = limit.values.first
          return amount / 1024 if amount.is_a?(Integer)

          (total_kib * Percentage.fraction(amount)).floor if total_kib
        end

        def description = "a number of bytes or a share of the memory such as \"20%\", or a Hash of one as in { private: \"5%\" }"
        def placeholder = "BYTES"

        #: (untyped) -> Hash[Symbol, Integer | String]
        def check(value)
          kind, amount = value.is_a?(Hash) && value.size == 1 ? value.first : [:pss, value]
          KINDS.include?(kind) && amount?(amount) ? { kind => amount }.freeze : refuse(value)
        end

        #: (String) -> Hash[Symbol, Integer | String]
        def parse(text)
          check(Integer(text, 10, exception: false) || text)
        end

        private

        def amount?(amount) = SHARE.accepts?(amount) || (amount.is_a?(Integer) && amount.positive?)
      end
    end
  end
end
