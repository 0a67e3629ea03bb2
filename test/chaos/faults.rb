# frozen_string_literal: true

require_relative "faults/user_signal"
require_relative "faults/at_point"
require_relative "faults/paused"
require_relative "faults/in_promotion"
require_relative "faults/in_lobby"
require_relative "faults/in_request"
require_relative "faults/in_roll"
require_relative "faults/in_service"
require_relative "faults/signalled"
require_relative "faults/resource_limit"
require_relative "faults/stopped_for_good"
require_relative "faults/blocked_reader"

module Chaos
  # All kinds of faults. Each class draws the details of its fault from a Random. `inject` injects it into a Target, and
  # returns whether it hit a process.
  module Faults
    # Relative frequencies.
    WEIGHTS = { Signalled => 30, InRequest => 20, AtPoint => 25, InPromotion => 10, Paused => 8, ResourceLimit => 5,
                StoppedForGood => 2, BlockedReader => 4, UserSignal => 8, InLobby => 25,
                InService => 8, InRoll => 20 }.freeze
    BAG = WEIGHTS.flat_map { |kind, weight| [kind] * weight }.freeze

    #: (Random) -> untyped
    def self.draw(random) = BAG.sample(random: random).draw(random)
  end
end
