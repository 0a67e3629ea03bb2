# frozen_string_literal: true

# LAZY LOADING: thousands of small methods that look up constants, as in an application that has grown for ten years.
# Here it is a trade price list, imported from a spreadsheet: one method for each line. The methods are defined at boot,
# but Ruby fills the caches inside a method (one for each constant, one for each call) only when the method first runs.
# Each page runs a few hundred of the rules, so a worker warms up, and writes to shared memory, for a long time.
module PriceRules
  COUNT = 4_000
  RULES_PER_PRODUCT = 12
  WHOLE = 1_000

  # Rates are per thousand.
  module Rates
    480.times { |number| const_set(format("LINE_%03d", number), 880 + (number * 37 % 120)) }
    12.times { |month| const_set(format("MONTH_%02d", month), 985 + (month * 7 % 23)) }
    40.times { |number| const_set(format("REGION_%02d", number), 990 + (number * 3 % 17)) }
    20.times { |number| const_set(format("VOLUME_%02d", number), 930 + number * 3) }
  end

  module Steps
    20.times { |number| const_set(format("STEP_%02d", number), 10 + number * 15) }
  end

  def self.source(number)
    month, region, step = number % 12, number % 40, number % 20
    format(<<~RUBY, number:, line: number % 480, month:, region:, step:)
      def self.rule_%<number>04d(cents, quantity)
        price = cents * Rates::LINE_%<line>03d / WHOLE
        price = price * Rates::MONTH_%<month>02d / WHOLE
        price = price * Rates::REGION_%<region>02d / WHOLE
        price = price * Rates::VOLUME_%<step>02d / WHOLE if quantity >= Steps::STEP_%<step>02d
        price.clamp(cents * Rates::LINE_%<line>03d / (WHOLE + Steps::STEP_%<step>02d), cents)
      end
    RUBY
  end
  private_class_method :source

  module_eval(Array.new(COUNT) { |number| source(number) }.join, __FILE__, __LINE__)
  NAMES = Array.new(COUNT) { |number| format("rule_%04d", number).to_sym }.freeze

  # The best price line that applies to this product.
  def self.best(product, quantity)
    first = product.id * RULES_PER_PRODUCT
    RULES_PER_PRODUCT.times.map { |n| public_send(NAMES[(first + n) % COUNT], product.price_cents, quantity) }.min
  end

  # LADDER.map of [quantity, price of one].
  def self.ladder(product)
    [1, 25, 100, 250].map { |quantity| [quantity, quantity == 1 ? product.price_cents : best(product, quantity)] }
  end
end
