# frozen_string_literal: true

module Coppice
  class Monitor
    # How much memory the server has room for, in KiB.
    #
    #   total           what all processes together may use; nil if unknown
    #   left            what is left of it; nil if unknown, or nothing depends on it
    #   largest_worker  what any worker had of its own when this was last looked at
    #   boot_peak       the most that the last cold boot took; nil before one is over
    Headroom = Struct.new(:total, :left, :largest_worker, :boot_peak, keyword_init: true)
  end
end
