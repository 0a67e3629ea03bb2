# frozen_string_literal: true

require_relative "endings"
require_relative "faults"

module Chaos
  # What is done in each life of a server: drawn from the seed alone, so that the same seed plans the same. (What it
  # meets, at which instant, is the machine's affair.)
  class Plan
    ROUNDS = 12
    # Faults that come one upon the other, before the server may rest.
    BURSTS = [1, 1, 2, 3].freeze
    REFORKS = ["", "refork_after [400]", "refork_after [50, 200, false]"].freeze

    Life = Struct.new(:settings, :rounds, :ending, keyword_init: true)

    #: (Integer) -> void
    def initialize(seed)
      @seed = seed
    end

    #: (Integer) -> Life
    def life(number)
      random = Random.new((@seed * 1_000_003) + number)
      Life.new(settings: REFORKS.sample(random: random), rounds: Array.new(ROUNDS) { burst(random) }, ending: ending(number))
    end

    private

    def burst(random) = Array.new(BURSTS.sample(random: random)) { Faults.draw(random) }

    # The first one also in a short run; then each in its turn.
    def ending(number)
      first, *others = Endings::ALL
      order = [first, *others.shuffle(random: Random.new(@seed))]
      order[number % order.size]
    end
  end
end
