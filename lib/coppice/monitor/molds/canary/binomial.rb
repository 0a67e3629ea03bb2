# frozen_string_literal: true

module Coppice
  class Monitor
    class Canary
      # Numbers of failures among requests that fail independently at the same rate.
      module Binomial
        module_function

        # The probability of at most so many failures.
        #: (Integer, Integer, Float) -> Float
        def at_most(failures, requests, rate)
          each_probability(requests, rate).first(failures + 1).sum.clamp(0.0, 1.0)
        end

        # The smallest number that is exceeded with less than this probability.
        #: (Integer, Float, Float) -> Integer
        def limit(requests, rate, probability)
          sum = 0.0
          each_probability(requests, rate).find_index { |exactly| 1 - (sum += exactly) < probability } || requests
        end

        # The probabilities of exactly 0, 1, 2 and so on failures. Each follows from the one before, as a logarithm
        # because the first ones may be too small for a Float.
        #: (Integer, Float) -> Enumerator[Float, void]
        def each_probability(requests, rate)
          return [1.0].each if rate <= 0
          return [*[0.0] * requests, 1.0].each if rate >= 1

          Enumerator.new do |probabilities|
            logarithm = requests * Math.log(1 - rate)
            odds = Math.log(rate / (1 - rate))
            (0..requests).each do |failures|
              probabilities << Math.exp(logarithm)
              logarithm += odds + Math.log((requests - failures) / (failures + 1.0)) if failures < requests
            end
          end
        end
      end
    end
  end
end
