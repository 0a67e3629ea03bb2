# frozen_string_literal: true

module Coppice
  class Monitor
    module ReforkCondition
      # How many more requests it takes until a refork pays, if memory goes on growing as it does: an estimate for
      # people who watch. Nothing is decided by it. Payback explains the terms; memory in KiB.
      Forecast = Struct.new(:level, :slope, :served, :area, :floor, :rebuilt, :regrowth, :worth_a_request, :least,
        :worth, keyword_init: true) do
        # 0 when it pays already, nil when it will not within LIMIT requests.
        #: () -> Integer?
        def requests
          return 0 if pays_after?(0)
          return unless slope.positive?

          enough = 1
          enough *= 2 until pays_after?(enough) || enough > self.class::LIMIT
          (0..enough).bsearch { |more| pays_after?(more) } if enough <= self.class::LIMIT
        end

        private

        def pays_after?(more)
          then_level = level + (slope * more)
          then_area = area + (more * ([level, floor].max + [then_level, floor].max) / 2.0)
          shared = then_level - rebuilt
          shared - (regrowth * floor) >= least &&
            (shared * (served + more)) - (regrowth * then_area) >= worth * worth_a_request
        end
      end
      Forecast::LIMIT = 2**24
    end
  end
end
