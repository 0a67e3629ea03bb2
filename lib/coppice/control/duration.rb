# frozen_string_literal: true

module Coppice
  module Control
    # Times as people read them.
    module Duration
      # 12.3 s, 5 min, 1 d 2 h 3 min.
      #: (Numeric) -> String
      def self.text(seconds)
        return "#{seconds.round(1)} s" if seconds < 60

        days, rest = seconds.to_i.divmod(86_400)
        hours, rest = rest.divmod(3600)
        [[days, "d"], [hours, "h"], [rest / 60, "min"]].drop_while { |count, _| count.zero? }
                                                       .map { |pair| pair.join(" ") }.join(" ")
      end
    end
  end
end
