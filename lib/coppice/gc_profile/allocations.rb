# frozen_string_literal: true

module Coppice
  module GCProfile
    # What a request of the application allocates, as a worker has measured it. A plain value, which is written as a
    # line of text to the board and to the profile's file.
    #
    #   requests    number of measured requests
    #   cpu_us      CPU time of one request, in microseconds
    #   minor_us    CPU time of the marking in a minor collection, in microseconds: the fixed cost of each one
    #   malloc      bytes that one request allocates with malloc, nearly all of them garbage afterwards
    #   promoted    slots that a request keeps for so long that only a major collection frees them
    #   largest     slots that the largest request takes
    #   pools       slot size in bytes => [slots that one request takes, slots in use after a collection]
    Allocations = Struct.new(:requests, :cpu_us, :minor_us, :malloc, :promoted, :largest, :pools,
      keyword_init: true) do
      # The opposite of to_s; nil for an empty text. Raises ArgumentError for a malformed one.
      #: (String) -> Allocations?
      def self.parse(text)
        return if text.empty?

        numbers, pools = text.split.partition { |word| word.include?("=") }
        values = numbers.to_h { |word| word.split("=", 2).then { |name, value| [name.to_sym, Integer(value, 10)] } }
        missing = members - [:pools] - values.keys
        raise ArgumentError, "there is no #{missing.join(', no ')}" unless missing.empty?

        new(pools: pools.to_h { |word| pool(word) }, **values).freeze
      end

      #: (String) -> [Integer, [Integer, Integer]]
      def self.pool(word)
        size, taken, live = word.match(%r{\A(\d+):(\d+)/(\d+)\z})&.captures&.map { |digits| Integer(digits, 10) }
        raise ArgumentError, "no pool: #{word}" unless live

        [size, [taken, live]]
      end
      private_class_method :pool

      # Slots that one request takes.
      #: () -> Integer
      def slots_per_request = pools.sum { |_, (taken, _)| taken }

      # Bytes that one request takes: slots and malloc.
      #: () -> Integer
      def bytes_per_request = malloc + pools.sum { |size, (taken, _)| size * taken }

      #: () -> String
      def to_s
        numbers = (members - [:pools]).map { |name| "#{name}=#{self[name]}" }
        [*numbers, *pools.map { |size, (taken, live)| "#{size}:#{taken}/#{live}" }].join(" ")
      end
    end
  end
end
