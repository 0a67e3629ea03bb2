# frozen_string_literal: true

module Coppice
  module Top
    # Short texts of amounts for a terminal. nil is a dash: not known.
    module Units
      NOTHING = "-"
      BYTES = [["G", 1 << 30], ["M", 1 << 20], ["K", 1 << 10]].freeze
      TIMES = [["d", 86_400], ["h", 3600], ["m", 60]].freeze

      # "512", "12.3k", "4.56M": at most five characters up to 999 million.
      #: (Numeric?) -> String
      def self.count(number)
        return NOTHING unless number
        return number.round.to_s if number < 10_000

        number < 1_000_000 ? "#{digits(number / 1000.0)}k" : "#{digits(number / 1_000_000.0)}M"
      end

      # Events in a second: with a decimal where there are few.
      #: (Numeric?) -> String
      def self.rate(number)
        number && number.positive? && number < 100 ? format("%.1f", number) : count(number)
      end

      # "312M", "1.25G".
      #: (Numeric?) -> String
      def self.bytes(number)
        return NOTHING unless number

        unit, size = BYTES.find { |_, bytes| number >= bytes } || BYTES.last
        "#{digits(number / size.to_f)}#{unit}"
      end

      # "850us", "12.3ms", "4.2s", "3m20s", "2h05m", "3d04h".
      #: (Numeric?) -> String
      def self.seconds(number)
        return NOTHING unless number
        return "#{(number * 1_000_000).round}us" if number.positive? && number < 0.001
        return "#{digits(number * 1000.0)}ms" if number.positive? && number < 1
        return "#{digits(number.to_f)}s" if number < 60

        index = TIMES.index { |_, size| number >= size }
        unit, size = TIMES[index]
        smaller, part = TIMES[index + 1] || ["s", 1]
        format("%d%s%02d%s", number / size, unit, number % size / part, smaller)
      end

      # The same in whole seconds: of a time that passes.
      #: (Numeric?) -> String
      def self.age(number)
        return NOTHING unless number

        number < 60 ? "#{[number.floor, 0].max}s" : seconds(number.floor)
      end

      # A share of one as a percentage.
      #: (Numeric?) -> String
      def self.percent(share) = share ? "#{digits(share * 100.0)}%" : NOTHING

      # Two or three digits: "1.25", "12.3", "312".
      def self.digits(number)
        return number.round.to_s if number >= 99.95 || number.zero?

        format(number < 9.995 ? "%.2f" : "%.1f", number)
      end
      private_class_method :digits
    end
  end
end
