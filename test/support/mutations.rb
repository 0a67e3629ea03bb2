# frozen_string_literal: true

module Coppice
  # Requests that went wrong on their way: bytes changed, lost, repeated or swapped for awkward ones.
  class Mutations
    AWKWARD = ["\r", "\n", "\r\n", " ", "\t", "\0", ":", ",", "0",
               "\xff", "\x7f", "\r\n ", "\n\n", ";", "chunked"].map(&:b).freeze

    def initialize(seed) #: (Integer) -> void
      @random = Random.new(seed)
    end

    # `count` inputs, each one to three steps away from one of `originals`.
    def of(originals, count) #: (Array[String], Integer) -> Array[String]
      Array.new(count) do
        bytes = originals.sample(random: @random).dup
        @random.rand(1..3).times { mutate(bytes) }
        bytes
      end
    end

    private

    def mutate(bytes)
      at = @random.rand(0..bytes.bytesize)
      length = @random.rand(1..4)
      case @random.rand(4)
      when 0 then bytes.insert(at, AWKWARD.sample(random: @random))
      when 1 then bytes[at, length] = ""
      when 2 then bytes[at, length] = @random.bytes(length)
      else bytes.insert(at, bytes[@random.rand(0..bytes.bytesize), 12])
      end
    end
  end
end
