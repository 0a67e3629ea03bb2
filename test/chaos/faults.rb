# frozen_string_literal: true

require_relative "faults/asked"
require_relative "faults/at_point"
require_relative "faults/frozen"
require_relative "faults/in_promotion"
require_relative "faults/in_request"
require_relative "faults/signalled"
require_relative "faults/starved"
require_relative "faults/stopped"
require_relative "faults/unheard"

module Chaos
  # Everything that can be done to a server. Each class draws its own kind from a Random, and does it to a Field; it
  # answers whether it found whom it was meant for.
  module Faults
    # How often each is drawn.
    WEIGHTS = { Signalled => 30, InRequest => 20, AtPoint => 25, InPromotion => 10, Frozen => 8, Starved => 5, Stopped => 2, Unheard => 4,
                Asked => 8 }.freeze
    BAG = WEIGHTS.flat_map { |kind, weight| [kind] * weight }.freeze

    #: (Random) -> untyped
    def self.draw(random) = BAG.sample(random: random).draw(random)
  end
end
