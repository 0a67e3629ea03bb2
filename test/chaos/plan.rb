# frozen_string_literal: true

require_relative "endings"
require_relative "faults"

module Chaos
  # The faults of each life of a server. They depend on the seed alone, so the same seed makes the same plan. The
  # processes that they hit, and the timing, depend on the machine.
  class Plan
    ROUNDS = 12
    # Number of faults in a row, before the server gets time to recover.
    BURSTS = [1, 1, 2, 3].freeze
    REFORKS = ["", "refork_after [400]", "refork_after [50, 200, false]"].freeze

    # lobby: whether clients come through a lobby.
    Life = Struct.new(:settings, :lobby, :rounds, :ending, keyword_init: true)

    # rounds: of each life.
    #: (Integer, ?rounds: Integer) -> void
    def initialize(seed, rounds: ROUNDS)
      @seed = seed
      @rounds = rounds
    end

    #: (Integer) -> Life
    def life(number)
      random = Random.new((@seed * 1_000_003) + number)
      Life.new(settings: REFORKS.sample(random: random), lobby: number % 3 != 2,
        rounds: Array.new(@rounds) { burst(random) }, ending: ending(number))
    end

    private

    def burst(random) = Array.new(BURSTS.sample(random: random)) { Faults.draw(random) }

    # The first ending comes first even in a short run; then the others take turns.
    def ending(number)
      first, *others = Endings::ALL
      order = [first, *others.shuffle(random: Random.new(@seed))]
      order[number % order.size]
    end
  end
end
