# frozen_string_literal: true

require "coppice/errors"

module Coppice
  module Config
    # The types of option values. `check(value)` returns the value to keep, or raises InvalidValue; `parse(text)` does
    # the same for the text of a flag or of an environment variable. This file has the general types, types/ the
    # special ones.
    module Types
      # The base class. A subclass defines `description` ("must be …") and `accepts?`.
      class Type
        #: (untyped) -> untyped
        def check(value)
          accepts?(value) ? value : refuse(value)
        end

        # The name of the value in a flag's help (`--timeout SECONDS`); nil when the value cannot be written as text.
        def placeholder #: () -> String?
          nil
        end

        # The unit of the number, for help and documentation.
        def unit #: () -> String?
          nil
        end

        # Whether the flag takes no value: --early-hints, --no-early-hints.
        def switch? #: () -> bool
          false
        end

        # Whether the value is a list, which a line may name without brackets: trusted_proxies "10.0.0.1", "10.0.0.2".
        def list? #: () -> bool
          false
        end

        # Whether no output may show the value.
        def secret? #: () -> bool
          false
        end

        private

        # The path as an absolute one; "~user" stands for the user's home.
        #: (String) -> String
        def absolute(path)
          File.expand_path(path)
        rescue ArgumentError => error # a null byte, or an unknown user after the tilde
          raise InvalidValue.new("cannot be #{path.inspect[0, 80]}: #{error.message}", reason: "is no path")
        end

        #: (untyped, ?String) -> bot
        def refuse(value, problem = "must be #{description}")
          raise InvalidValue.new("#{problem}, but is #{value.inspect[0, 80]}", reason: problem)
        end
      end

      # The base class of types whose values are written as they are.
      class Text < Type
        #: (String) -> untyped
        def parse(text) = check(text)
      end

      # A whole number, of bytes or of anything else.
      class Whole < Type
        #: (?minimum: Integer?, ?maximum: Integer?, ?bytes: bool) -> void
        def initialize(minimum: nil, maximum: nil, bytes: false)
          @minimum = minimum
          @maximum = maximum
          @bytes = bytes
          freeze
        end

        def description = "a whole number#{' of bytes' if @bytes}#{", #{range}" if @minimum}"
        def placeholder = @bytes ? "BYTES" : "N"
        def unit = ("bytes" if @bytes)

        #: (String) -> Integer
        def parse(text)
          check(Integer(text, 10, exception: false) || text)
        end

        private

        def accepts?(value)
          value.is_a?(Integer) && (@minimum.nil? || value >= @minimum) && (@maximum.nil? || value <= @maximum)
        end

        def range = @maximum ? "from #{@minimum} to #{@maximum}" : "#{@minimum} or more"
      end

      # A number with or without a fraction.
      class Number < Type
        #: (String) -> Numeric
        def parse(text)
          check(Integer(text, 10, exception: false) || Float(text, exception: false) || text)
        end

        private

        def number?(value) = value.is_a?(Integer) || value.is_a?(Float) || value.is_a?(Rational)
      end

      # A duration in seconds.
      class Seconds < Number
        MAXIMUM = 365 * 86_400 # sums of several, in milliseconds, fit into 64 bits

        #: (?minimum: Numeric) -> void
        def initialize(minimum: 0.1)
          @minimum = minimum
          freeze
        end

        #: (untyped) -> Numeric
        def check(value)
          return super unless number?(value) && value > MAXIMUM

          refuse(value, "must be at most #{MAXIMUM} seconds, which is a year")
        end

        def description = "a number of seconds, #{@minimum} or more"
        def placeholder = "SECONDS"
        def unit = "seconds"

        #: (untyped) -> bool
        def accepts?(value) = number?(value) && value >= @minimum && value <= MAXIMUM
      end

      # A price, as a number above 0.
      class Price < Number
        def description = "a number above 0"
        def placeholder = "N"

        private

        def accepts?(value) = number?(value) && value.positive? && value.finite?
      end

      # Strictly true or false: `nil` is more often a mistake than a false.
      class Boolean < Type
        def description = "true or false"
        def switch? = true

        private

        def accepts?(value)
          [true, false].include?(value)
        end
      end

      # One of a few values. A text stands for the value of that name.
      class OneOf < Type
        #: (*(Symbol | bool)) -> void
        def initialize(*values)
          @values = values.freeze
          freeze
        end

        def description = "one of #{@values.map(&:inspect).join(', ')}"
        def placeholder = @values.join("|")

        #: (String) -> (Symbol | bool)
        def parse(text)
          check(@values.find(-> { text }) { |value| value.to_s == text })
        end

        private

        def accepts?(value)
          @values.include?(value)
        end
      end

      # Another type, or nil for "none".
      class Optional < Type
        #: (Type) -> void
        def initialize(type)
          @type = type
          freeze
        end

        def description = "#{@type.description}; or nil"
        def placeholder = @type.placeholder
        def unit = @type.unit
        def secret? = @type.secret?
        def list? = @type.list?

        #: (untyped) -> untyped
        def check(value)
          value.nil? ? nil : @type.check(value)
        end

        #: (String) -> untyped
        def parse(text)
          @type.parse(text)
        end
      end

      # Any object that responds to the given methods.
      class RespondsTo < Type
        #: (*Symbol) -> void
        def initialize(*methods)
          @methods = methods.freeze
          freeze
        end

        def description = "an object that answers #{@methods[0..-2].join(', ')} and #{@methods.last}"

        private

        def accepts?(value)
          @methods.all? { |name| value.respond_to?(name) }
        end
      end
    end
  end
end
