# frozen_string_literal: true

require "coppice/config/types"

module Coppice
  module Config
    module Types
      # A share of a total that is known only later, as a text such as "20%".
      class Percentage < Text
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

        #: (untyped) -> bool
        def accepts?(value)
          value.is_a?(String) && value.match?(TEXT) && (@maximum.nil? || Percentage.fraction(value) * 100 <= @maximum)
        end
      end

      # A number of workers: a whole number, or a share of all workers as a text such as "25%".
      class WorkerShare < Whole
        PERCENT = /\A(0|[1-9]\d{0,2})%\z/.freeze

        # The number of workers, rounded up.
        #: (Integer | String, Integer) -> Integer
        def self.of(share, workers)
          share.is_a?(Integer) ? share : (workers * Percentage.fraction(share)).ceil
        end

        def description = "a whole number of workers, 0 or more, or a share of them such as \"25%\""

        private

        def accepts?(value)
          value.is_a?(Integer) ? value >= 0 : value.is_a?(String) && value.match?(PERCENT)
        end
      end

      # The number of all workers; a range of numbers, in which it follows the load; or :auto, for which the monitor
      # decides the range.
      class WorkerCount < Whole
        MAXIMUM = 1024
        RANGE = /\A(\d+)\.\.(\d+)\z/.freeze

        def initialize
          super(minimum: 0, maximum: MAXIMUM)
        end

        def description = "#{super}; a range such as 2..16; or :auto"
        def placeholder = "N|N..N|auto"

        #: (untyped) -> (Integer | Range[Integer] | :auto)
        def check(value)
          return value if value == :auto
          return super unless value.is_a?(Range)

          ends = [value.begin, value.end]
          good = ends.all? { |number| number.is_a?(Integer) && number.between?(1, MAXIMUM) } && !value.exclude_end?
          return refuse(value) unless good && value.begin <= value.end

          value.begin == value.end ? value.end : value
        end

        #: (String) -> (Integer | Range[Integer] | :auto)
        def parse(text)
          return :auto if text == "auto"

          range = RANGE.match(text) or return super
          check(Range.new(*range.captures.map { |number| Integer(number, 10) }))
        end
      end

      # An amount of memory, of one of two kinds. Kept as a frozen Hash from the kind to the amount: bytes, or a share
      # as a text.
      class MemoryLimit < Whole
        KINDS = [:pss, :private].freeze
        SHARE = Percentage.new(maximum: 100)
        SIZE = /\A(\d+)([KMG])\z/.freeze
        UNITS = { "K" => 1 << 10, "M" => 1 << 20, "G" => 1 << 30 }.freeze # in bytes

        # The limit in KiB, given the total memory; nil for a share of an unknown total.
        #: (Hash[Symbol, Integer | String], Integer?) -> Integer?
        def self.kib(limit, total_kib)
          amount = limit.values.first
          return amount / 1024 if amount.is_a?(Integer)

          (total_kib * Percentage.fraction(amount)).floor if total_kib
        end

        def description
          "a number of bytes, a size such as \"512M\" or a share of the memory such as \"20%\"; or a Hash of one as " \
            "in { private: \"5%\" }"
        end

        def placeholder = "BYTES"

        #: (untyped) -> Hash[Symbol, Integer | String]
        def check(value)
          kind, amount = value.is_a?(Hash) && value.size == 1 ? value.first : [:pss, value]
          amount = in_bytes(amount)
          KINDS.include?(kind) && amount?(amount) ? { kind => amount }.freeze : refuse(value)
        end

        private

        def in_bytes(amount)
          size = SIZE.match(amount) if amount.is_a?(String)
          size ? size[1].to_i * UNITS.fetch(size[2]) : amount
        end

        def amount?(amount) = SHARE.accepts?(amount) || (amount.is_a?(Integer) && amount.positive?)
      end

      # Request counts, one for each generation. The last may be false or nil: that generation is the final one.
      # Kept as a frozen Array that ends in an Integer or in false. Or :auto, which is no count. false alone is nil. One
      # count alone is that of all generations.
      class RequestCounts < Type
        def description = "a list of request counts, each 1 or more, of which the last may be false; or :auto"
        def placeholder = "N,N,…|auto"
        def list? = true

        #: (untyped) -> (Array[Integer | false] | :auto | nil)
        def check(value)
          return value if value == :auto
          return if value == false
          return refuse(value) if value.nil? || value == []

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

      # A number of TCP retransmissions; true and false stand for one and none. Kept as an Integer.
      class Retransmissions < Whole
        def initialize
          super(minimum: 0)
        end

        def description = "#{super}; true or false"

        #: (untyped) -> Integer
        def check(value)
          case value
          when true then 1
          when false then 0
          else super
          end
        end
      end
    end
  end
end
