# frozen_string_literal: true

module Bench
  # The 95 % confidence interval of the mean of a few ratios: Student's interval of their logarithms.
  class Interval
    # Quantiles of Student's t for 95 %, two-sided, by degrees of freedom from 1 to 30.
    T = [12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14, 2.13, 2.12, 2.11, 2.10,
         2.09, 2.09, 2.08, 2.07, 2.07, 2.06, 2.06, 2.06, 2.05, 2.05, 2.05, 2.04].freeze
    LARGE = 2.0 # above 30 degrees of freedom; the normal distribution has 1.96

    # "1.012 (0.994–1.030)".
    #: (Array[Float]) -> String
    def self.of(ratios)
      logs = ratios.map { |ratio| Math.log(ratio) }
      mean = logs.sum / logs.size
      return format("%.3f", Math.exp(mean)) if logs.size < 2

      deviation = Math.sqrt(logs.sum { |log| (log - mean)**2 } / (logs.size - 1))
      reach = (T[logs.size - 2] || LARGE) * deviation / Math.sqrt(logs.size)
      format("%.3f (%.3f–%.3f)", *[mean, mean - reach, mean + reach].map { |log| Math.exp(log) })
    end
  end
end
